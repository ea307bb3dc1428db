#include "hls_math.h"
#include "hls_stream.h"
#include <cstdlib>

// default traits, with a specialisation by type
template <bool LowerTriangularL, int RowsColsA, typename InputType, typename OutputType> struct choleskyTraits {
    typedef InputType PROD_T;
    typedef InputType ACCUM_T;
    typedef InputType ADD_T;
    typedef InputType DIAG_T;
    typedef InputType RECIP_DIAG_T;
    static const int ARCH = 1;
    static const int INNER_II = 1;
};

template <typename T> T x_conj(T x) { return x; }

template <typename T_IN, typename T_OUT> int cholesky_sqrt_op(T_IN a, T_OUT &b) {
Function_cholesky_sqrt_op_real:;
    const T_IN ZERO = 0;
    if (a < ZERO) {
        b = ZERO;
        return (1);
    }
    b = hls::sqrt(a);
    return (0);
}

template <typename AType, typename BType, typename CType> void cholesky_prod_sum_mult(AType A, BType B, CType &C) {
    C = A * B;
}

template <bool LowerTriangularL, int RowsColsA, typename CholeskyTraits, class InputType, class OutputType>
int choleskyBasic(const InputType A[RowsColsA][RowsColsA], OutputType L[RowsColsA][RowsColsA]) {
    int return_code = 0;

    // Use the traits struct to specify the correct type for the intermediate variables.
    typename CholeskyTraits::PROD_T prod;
    typename CholeskyTraits::ACCUM_T sum[RowsColsA];
    typename CholeskyTraits::ACCUM_T A_cast_to_sum;
    typename CholeskyTraits::ACCUM_T prod_cast_to_sum;
    typename CholeskyTraits::ADD_T A_minus_sum;
    typename CholeskyTraits::DIAG_T new_L_diag;
    typename CholeskyTraits::RECIP_DIAG_T new_L_diag_recip;
    OutputType retrieved_L;
    OutputType internal_L[RowsColsA][RowsColsA];

col_loop:
    for (int j = 0; j < RowsColsA; j++) {
        sum[j] = 0;

    // Calculate the diagonal value for this column
    diag_loop:
        for (int k = 0; k < RowsColsA; k++) {
            if (k <= (j - 1)) {
                if (LowerTriangularL == true) {
                    retrieved_L = internal_L[j][k];
                } else {
                    retrieved_L = internal_L[k][j];
                }
                sum[j] = x_conj(retrieved_L) * retrieved_L;
                A_cast_to_sum = sum[j];
                prod_cast_to_sum = k == 0 ? A_cast_to_sum : A_cast_to_sum + prod_cast_to_sum;
                sum[j] = prod_cast_to_sum;
            }
        }
        A_cast_to_sum = A[j][j];
        A_minus_sum = A_cast_to_sum - sum[j];
        if (cholesky_sqrt_op(A_minus_sum, new_L_diag)) {
            return_code = 1;
        }
        new_L_diag_recip = 1 / new_L_diag;

        if (LowerTriangularL == true) {
            internal_L[j][j] = new_L_diag;
            L[j][j] = new_L_diag;
        } else {
            internal_L[j][j] = x_conj(new_L_diag);
            L[j][j] = x_conj(new_L_diag);
        }

    // Calculate the off diagonal values for this column
    off_diag_loop:
        for (int i = 0; i < RowsColsA; i++) {
            if (i > j) {
                if (LowerTriangularL == true) {
                    sum[j] = A[i][j];
                } else {
                    sum[j] = x_conj(A[j][i]);
                }
            sum_loop:
                for (int k = 0; k < RowsColsA; k++) {
#pragma HLS PIPELINE II = CholeskyTraits::INNER_II
                    if (k <= (j - 1)) {
                        if (LowerTriangularL == true) {
                            prod = -internal_L[i][k] * x_conj(internal_L[j][k]);
                        } else {
                            prod = -x_conj(internal_L[k][i]) * (internal_L[k][j]);
                        }
                        prod_cast_to_sum = prod;
                        sum[j] += prod_cast_to_sum;
                    }
                }
                OutputType new_L_off_diag;
                cholesky_prod_sum_mult(sum[j], new_L_diag_recip, new_L_off_diag);
                if (LowerTriangularL == true) {
                    internal_L[i][j] = new_L_off_diag;
                    L[i][j] = new_L_off_diag;
                } else {
                    internal_L[j][i] = x_conj(new_L_off_diag);
                    L[j][i] = x_conj(new_L_off_diag);
                }
            } else if (i < j) {
                if (LowerTriangularL == true) {
                    L[i][j] = 0;
                } else {
                    L[j][i] = 0;
                }
            }
        }
    }
    return (return_code);
}

template <bool LowerTriangularL, int RowsColsA, class InputType, class OutputType,
          typename TRAITS = choleskyTraits<LowerTriangularL, RowsColsA, InputType, OutputType> >
int cholesky(const InputType A[RowsColsA][RowsColsA], OutputType L[RowsColsA][RowsColsA]) {
    return choleskyBasic<LowerTriangularL, RowsColsA, TRAITS, InputType, OutputType>(A, L);
}

const unsigned int DIM = 6;
int kernel_cholesky_0(const float matA[DIM][DIM], float matL[DIM][DIM]) {
    return cholesky<true, DIM, float, float>(matA, matL);
}
