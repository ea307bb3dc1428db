"""Orders of programs that PolyBench hasn't: other factorisations, recurrences, dynamic programming.

Each order runs, its phases shuffled, to the bits of the source's order.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from streamopt.ir.expression import reads
from streamopt.ir.graph import SequentialNode
from streamopt.transforms.autoschedule import steps_of
from streamopt.transforms.canonicalize import canonicalize
from tests.support.programs.c_nests import program_of
from tests.support.runners.residues import initial, run_node, run_steps
from tests.support.step_shapes import shape

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = {
    "chol_left": (
        "(double A[9][9]) { for (int j=0; j<9; j++){ for(int k=0; k<j; "
        "k++) for(int i=j; i<9; i++) A[i][j]-=A[i][k]*A[j][k]; A[j][j]=sqrt(A[j][j]); "
        "for(int i=j+1; i<9; i++) A[i][j]/=A[j][j]; } } ",
        "9 ({}, {8}, {8 8})",
    ),
    "chol_up": (
        "(double A[9][9]) { for (int i=0; i<9; i++){ for(int j=0; j<=i; j++){ "
        "double s=A[i][j]; for(int k=0; k<j; k++) s-=A[i][k]*A[j][k]; "
        "if (j<i) A[i][j]=s/A[j][j]; else A[i][j]=sqrt(s); } } } ",
        "9 ({}, {8}, {8 8})",
    ),
    "ldlt": (
        "(double A[9][9], double d[9]) { for (int j=0; j<9; j++){ d[j]=A[j][j]; "
        "for(int k=0; k<j; k++) d[j]-=A[j][k]*A[j][k]*d[k]; for(int i=j+1; i<9; i++){ "
        "for(int k=0; k<j; k++) A[i][j]-=A[i][k]*A[j][k]*d[k]; A[i][j]/=d[j]; } } } ",
        "8 ({8}, {7 7})",
    ),
    "trinv": (
        "(double L[9][9], double X[9][9]) { for(int j=0; j<9; j++){ "
        "X[j][j]=1.0/L[j][j]; for(int i=j+1; i<9; i++){ double s=0; for(int k=j; k<i; "
        "k++) s+=L[i][k]*X[k][j]; X[i][j]=-s/L[i][i]; } } } ",
        "8 ({8 8}, {8})",
    ),
    "gauss_jordan": (
        "(double A[9][18]) { for(int k=0; k<9; k++){ double p=1.0/A[k][k]; for(int j=0; "
        "j<18; j++) A[k][j]*=p; for(int i=0; i<9; i++) if(i!=k){ double f=A[i][k]; "
        "for(int j=0; j<18; j++) A[i][j]-=f*A[k][j]; } } } ",
        "9 ({}, {18}, {9 18})",
    ),
    "sw": (
        "(int H[10][12], int a[10], int b[12]) { for(int i=1; i<10; i++) for(int j=1; "
        "j<12; j++){ int m=(a[i]==b[j])?2:-1; int v=H[i-1][j-1]+m; "
        "if(H[i-1][j]-1>v) v=H[i-1][j]-1; if(H[i][j-1]-1>v) v=H[i][j-1]-1; if(v<0) v=0; "
        "H[i][j]=v; } } ",
        "19 ({9})",
    ),
    "lcs": (
        "(int L[10][12], int a[10], int b[12]) { for(int i=1; i<10; i++) for(int j=1; "
        "j<12; j++) if(a[i-1]==b[j-1]) L[i][j]=L[i-1][j-1]+1; "
        "else L[i][j]= L[i-1][j]>L[i][j-1]?L[i-1][j]:L[i][j-1]; } ",
        "19 ({9})",
    ),
    "iir": (
        "(double x[8][20], double y[8][20]) { for(int c=0; c<8; c++) for(int n=2; n<20; "
        "n++) y[c][n]=x[c][n]+0.5*y[c][n-1]-0.25*y[c][n-2]; } ",
        "18 ({8})",
    ),
    "cumsum2": (
        "(double x[30]) { for(int i=1; i<30; i++) x[i]+=x[i-1]; } ",
        "29 ({})",
    ),
    "gs1d": (
        "(double x[40]) { for(int t=0; t<10; t++) for(int i=1; i<39; "
        "i++) x[i]=0.5*(x[i-1]+x[i+1]); } ",
        "56 ({10})",
    ),
    "gs3d": (
        "(double A[7][7][7]) { for(int t=0; t<4; t++) for(int i=1; i<6; "
        "i++) for(int j=1; j<6; j++) for(int k=1; k<6; "
        "k++) A[i][j][k]=(A[i-1][j][k]+A[i+1][j][k]+A[i][j-1][k]+A[i][j+1][k]"
        "+A[i][j][k-1]+A[i][j][k+1])/6; "
        "} ",
        "19 ({4 5 5})",
    ),
    "integral": (
        "(double A[9][11]) { for(int i=0; i<9; i++) for(int j=0; j<11; j++){ "
        "if(i>0) A[i][j]+=A[i-1][j]; if(j>0) A[i][j]+=A[i][j-1]; "
        "if(i>0) if(j>0) A[i][j]-=A[i-1][j-1]; } } ",
        "18 ({9})",
    ),
    "knapsack": (
        "(int d[9][30], int v[9]) { for(int i=1; i<9; i++) for(int w=3; w<30; "
        "w++) d[i][w]= d[i-1][w]>d[i-1][w-3]+v[i]? d[i-1][w]:d[i-1][w-3]+v[i]; } ",
        "8 ({27})",
    ),
    "knapsack1": (
        "(int d[30], int v[9]) { for(int i=0; i<9; i++) for(int w=29; w>=3; "
        "w--) d[w]= d[w]>d[w-3]+v[i]? d[w]:d[w-3]+v[i]; } ",
        "59 ({9})",
    ),
    "viterbi": (
        "(double V[10][6], double T[6][6], double E[6][10]) { for(int t=1; t<10; "
        "t++) for(int j=0; j<6; j++){ double m=V[t-1][0]+T[0][j]; for(int i=1; i<6; "
        "i++){ double c=V[t-1][i]+T[i][j]; if(c>m) m=c; } V[t][j]=m+E[j][t]; } } ",
        "9 ({6}, {+5 6}, {6})",
    ),
    "qr_house": (
        "(double A[8][8], double tau[8]) { for(int k=0; k<8; k++){ double s=0; "
        "for(int i=k; i<8; i++) s+=A[i][k]*A[i][k]; tau[k]=sqrt(s); for(int j=k+1; j<8; "
        "j++){ double d=0; for(int i=k; i<8; i++) d+=A[i][k]*A[i][j]; for(int i=k; i<8; "
        "i++) A[i][j]-=d*A[i][k]/tau[k]; } } } ",
        "8 ({+8}, {}, {+8 7}, {7 8})",
    ),
    "givens": (
        "(double A[8][8], double c[8][8]) { for(int j=0; j<8; j++) for(int i=7; i>j; "
        "i--){ c[i][j]=A[i][j]/A[i-1][j]; for(int k=j; k<8; k++){ double t=A[i-1][k]; "
        "A[i-1][k]=t+c[i][j]*A[i][k]; A[i][k]=A[i][k]-c[i][j]*t; } } } ",
        "13 ({7}, {7 8})",
    ),
    "sor": (
        "(double A[12][12]) { for(int t=0; t<5; t++) for(int i=1; i<11; "
        "i++) for(int j=1; j<11; "
        "j++) A[i][j]=0.25*(A[i-1][j]+A[i+1][j]+A[i][j-1]+A[i][j+1]); } ",
        "27 ({5 10})",
    ),
    "redblack": (
        "(double A[12][12]) { for(int t=0; t<5; t++) for(int c=0; c<2; "
        "c++) for(int i=1; i<11; i++) for(int j=1; j<11; "
        "j++) if((i+j+c)%2==0) A[i][j]=0.25*(A[i-1][j]+A[i+1][j]+A[i][j-1]+A[i][j+1]); "
        "} ",
        "5 (2 ({10 10}))",
    ),
    "mtx_chain": (
        "(int m[10][10], int p[11]) { for(int l=1; l<9; l++) for(int i=0; i<9-l; i++){ "
        "m[i][i+l]=100000; for(int k=i; k<i+l; k++){ "
        "int q=m[i][k]+m[k+1][i+l]+p[i]*p[k+1]*p[i+l+1]; if(q<m[i][i+l]) m[i][i+l]=q; } "
        "} } ",
        "{8 8}; 8 ({+8 8})",
    ),
    "smith_waterman": (
        "(int q[9], int r[9], int H[10][10], int best[1]) { for(int i=1; i<=9; i++) for(int j=1; "
        "j<=9; j++){ int d=H[i-1][j-1]+(q[i-1]==r[j-1]? 2: -1); int u=H[i-1][j]-1; "
        "int l=H[i][j-1]-1; int m=d>u? d: u; m=m>l? m: l; H[i][j]=m>0? m: 0; } } ",
        "17 ({9})",
    ),
    "warshall_bool": (
        "(int A[9][9]) { for(int k=0; k<9; k++) for(int i=0; i<9; i++) for(int j=0; "
        "j<9; j++) A[i][j]=A[i][j] | (A[i][k] & A[k][j]); } ",
        "9 ({8 8}, {8}, {}, {8 7}, {8}, {8 7}, {8}, {8 8})",
    ),
    "trsm": (
        "(double L[9][9], double B[9][9]) { for(int j=0; j<9; j++) for(int i=0; i<9; "
        "i++){ for(int k=0; k<i; k++) B[i][j]-=L[i][k]*B[k][j]; B[i][j]/=L[i][i]; } } ",
        "9 ({9 9}, {9})",
    ),
    # Sections of a filter, one a sample behind the other: lanes are sections, not samples.
    "sections": (
        "(double x[40], double a[3], double w[3]) { for(int t=0; t<40; t++) for(int s=0; "
        "s<3; s++) { double v=x[t]-a[s]*w[s]; x[t]=v+w[s]; w[s]=v; } } ",
        "42 ({3})",
    ),
    "sections_of_channels": (
        "(double x[4][40], double a[3], double w[4][3]) { for(int c=0; c<4; c++) for(int "
        "t=0; t<40; t++) for(int s=0; s<3; s++) { double v=x[c][t]-a[s]*w[c][s]; "
        "x[c][t]=v+w[c][s]; w[c][s]=v; } } ",
        "42 ({4 3})",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_orders_are_wide_and_right(name: str, tmp_path: Path) -> None:
    text, expected = PROGRAMS[name]
    graph = canonicalize(program_of(tmp_path, text))
    shapes: list[str] = []
    for node in graph.nodes:
        if not isinstance(node, SequentialNode):
            continue
        used = {access.array for e in node.expressions for access in reads(e)} | {*node.outputs}
        arrays = {array: graph.array(array) for array in used}
        state = initial(arrays, 1)
        run_node(node, state)
        orders = steps_of(node)
        shapes.append(shape(orders[0].items))
        for steps in orders:
            found = initial(arrays, 1)
            run_steps(steps, found, random.Random(1))
            assert found == state, str(steps)
    assert "; ".join(shapes) == expected
