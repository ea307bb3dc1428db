"""Descent prototype."""
from __future__ import annotations
import time
import numpy as np
from streamopt.search.dynamic import Effort, search, search_front
from streamopt.search.labels import SearchTooLargeError
from streamopt.search.window import window
from streamopt.search.instance import Choices, Instance
from streamopt.search.moves import Moves
from streamopt.search.paths import Paths, Wires
from dataclasses import replace

import os
BL=eval(os.environ.get('BL','(.002,)'))
B0=float(os.environ.get('B0','.002'))
BATCH = 256

def restricted(problem, kept):
    nodes = tuple(
        Choices(c.first_write[k], c.last_write[k], c.dsps[k],
                {e: v[k] for e, v in c.epilogue.items()},
                {e: v[k] for e, v in c.factors.items()},
                {e: v[k] for e, v in c.walks.items()})
        for c, k in zip(problem.nodes, kept, strict=True))
    return replace(problem, nodes=nodes)

class Descent:
    def __init__(self, problem, log=None):
        self.problem = problem
        self.wires = Wires(problem)
        self.moves = Moves(self.wires)
        self.limit = problem.dsp_limit
        self.best = None  # (T, rows)
        self.t0 = time.time()
        self.log = log
        self.evals = 0
        self.noise=None

    def least(self):
        rows = [0]*len(self.wires)
        # least factors everywhere
        for at in range(len(rows)):
            al = self.moves._alike[at]
            ok = [k for k in al if all(f == self.moves.values[c][0] for f, c in zip(k, self.moves.classes[at]))]
            cand = al[ok[0]]
            rows[at] = min(cand, key=lambda r: (self.wires.dsps[at][r], self.wires.last_write[at][r]))
        return rows

    def cost_of(self, change, rows):
        return sum(int(self.wires.dsps[n][r]) - int(self.wires.dsps[n][rows[n]]) for n, r in change)

    def noisy(self, change, rows):
        return sum(self.noise[n]*(int(self.wires.dsps[n][r]) - int(self.wires.dsps[n][rows[n]])) for n, r in change)

    def evaluate(self, paths, changes):
        """T after each change."""
        n = len(self.wires)
        spans = [(c[0][0], c[-1][0]) if len(c)==1 else (min(a for a,_ in c), max(a for a,_ in c)) for c in changes]
        wide = [i for i,(l,h) in enumerate(spans) if h-l > max(40, n//6)]
        near = sorted((i for i,(l,h) in enumerate(spans) if h-l <= max(40, n//6)), key=lambda i: spans[i])
        wide.sort(key=lambda i: spans[i])
        out = np.empty(len(changes))
        for group in (wide, near):
            at = 0
            while at < len(group):
                end = min(len(group), at + BATCH)
                chunk = group[at:end]
                out[chunk] = paths.after([changes[i] for i in chunk])
                at = end
        self.evals += len(changes)
        return out

    def note(self, rows):
        p = Paths(self.wires, rows)
        if p.dsps <= self.limit and (self.best is None or p.cycles < self.best[0]):
            self.best = (p.cycles, list(rows))
            if self.log: self.log(f"{time.time()-self.t0:.2f} best {p.cycles:.0f} dsps {p.dsps}")
        return p

    def sweep(self, rows, price, blur, gens, limit=None):
        paths = Paths(self.wires, rows, blur)
        changes = []
        for g in gens:
            changes += list(g(rows))
        dd = np.array([self.cost_of(c, rows) for c in changes], dtype=float)
        if limit is not None:
            keep = np.flatnonzero(paths.dsps + dd <= limit)
            changes = [changes[i] for i in keep]; dd = dd[keep]
        if not changes:
            return rows, False
        if self.noise is not None: dd=np.array([self.noisy(c, rows) for c in changes])
        gain = paths.cycles - self.evaluate(paths, changes) - price*dd
        good = [i for i in np.argsort(-gain, kind="stable") if gain[i] > 1e-6*max(1.0, paths.cycles)*1e-2]
        if not good: return rows, False
        taken=set(); picked=[]
        for i in good:
            nodes={n for n,_ in changes[i]}
            if taken & nodes: continue
            taken |= nodes; picked.append(i)
        sizes=sorted({min(len(picked), 2**k) for k in range(12)})
        prefixes=[tuple(x for i in picked[:s] for x in changes[i]) for s in sizes]
        dds=np.array([sum(dd[i] for i in picked[:s]) for s in sizes])
        J=paths.cycles - self.evaluate(paths, prefixes) - price*dds
        if limit is not None: J=np.where(paths.dsps+dds<=limit,J,-np.inf)
        b=int(np.argmax(J))
        if J[b] <= 0: return rows, False
        rows=list(rows)
        for n,r in prefixes[b]: rows[n]=r
        return rows, True

    def descend(self, rows, price, blur, gens, limit=None, most=60):
        stage = 0
        for _ in range(most):
            rows, moved = self.sweep(rows, price, blur, [gens[stage]], limit)
            stage = 0 if moved else stage + 1
            if stage == len(gens) or time.time()-self.t0 > self.seconds: break
        return rows

    def orders(self, rows, labels=32):
        kept=[None]*len(rows)
        for at,node in enumerate(self.wires.order):
            d=self.wires.dsps[at]
            kept[node]=np.array([r for r in self.moves.alike(at, rows[at]) if d[r]<=d[rows[at]]])
        sub=restricted(replace(self.problem, dsp_limit=10**9), kept)
        p=Paths(self.wires,rows)
        found=search(sub, int(p.cycles), Effort(labels, False, lambda: False))
        if not found.rows: return rows
        out=list(rows)
        for at,node in enumerate(self.wires.order):
            name=self.problem.names[node]
            if name: out[at]=int(kept[node][found.rows[name]])
        q=Paths(self.wires,out)
        return out if q.cycles<p.cycles else rows

    def free(self, paths, free, low, high):
        kept=[]
        for at in range(low, high+1):
            al=self.moves._alike[at]; cl=self.moves.classes[at]
            own=self.moves.factors[at][paths.rows[at]]
            if not (set(cl)&free):
                r=self.moves.alike(at, paths.rows[at])
            else:
                r=[x for key,v in al.items() if all(c in free or f==o for c,f,o in zip(cl,key,own,strict=True)) for x in v]
            kept.append(np.array(sorted(r)))
        return kept

    def neighbourhood(self, k, most_rows, most_span):
        free={k}
        mem=self.moves.members
        near=[k]
        while near:
            c=near.pop(0)
            adj=sorted({b for at in mem[c] for b in self.moves.classes[at]}-free, key=lambda b:(abs(mem[b][0]-mem[k][0]),b))
            for b in adj:
                trial=free|{b}
                ats=[at for x in trial for at in mem[x]]
                if max(ats)-min(ats)>most_span or len(trial)>most_rows: continue
                free=trial; near.append(b)
        ats=[at for x in free for at in mem[x]]
        return free,min(ats),max(ats)

    def look(self, rows, k, price, labels=32, most=5, span=24, allow=0):
        free,lo,hi=self.neighbourhood(k,most,span)
        paths=Paths(self.wires,rows)
        kept=self.free(paths,free,lo,hi)
        inside=sum(int(self.wires.dsps[at][rows[at]]) for at in range(lo,hi+1))
        sub=window(paths,lo,kept,self.limit-paths.dsps+inside)
        T=int(paths.cycles)
        try:
            front=search_front(sub,T+allow,Effort(labels,False,lambda:False))
        except SearchTooLargeError:
            return rows,0
        if not front.costs: return rows,0
        J=[t+price*d for t,d in front.costs]
        b=min(range(len(J)),key=lambda i:(J[i],i))
        now=T+price*inside
        if J[b]>=now: return rows,0
        out=list(rows)
        for name,r in front.rows[b].items(): out[int(name)]=int(kept[int(name)-lo][r])
        return out, now-J[b]

    def slide(self, rows, price, seconds, **kw):
        t=time.time(); n=0; tot=0
        for k in sorted(self.moves.members, key=lambda k: self.moves.members[k][0]):
            if time.time()-t>seconds: break
            if len(self.moves.values[k])<2: continue
            rows,g=self.look(rows,k,price,**kw); n+=1; tot+=g>0
        p=self.note(rows)
        self.log and self.log(f"  slide {n} {tot} T {p.cycles:.0f} D {p.dsps} {time.time()-t:.2f}s")
        return rows

    def repair(self, rows, price, blur, gens):
        while True:
            p=Paths(self.wires,rows)
            if p.dsps<=self.limit: return rows
            price*=1.1
            rows,_=self.sweep(rows,price,blur,gens)

    def run(self, seconds, homotopy=0.5, seed=0):
        m=self.moves; self.seconds=seconds
        rows=self.least()
        p=self.note(rows)
        base=[m.of_classes,m.of_nodes]
        mid=base+[m.of_walks]
        full=mid+[m.of_pairs]
        price=p.cycles/self.limit*4
        low=rows
        while time.time()-self.t0<seconds:
            t=time.time()
            rows=self.descend(low, price, p.cycles*B0, mid)
            p=self.note(rows)
            self.log and self.log(f"  {time.time()-self.t0:.2f} price {price:.1f} T {p.cycles:.0f} D {p.dsps} {time.time()-t:.2f} s")
            if p.dsps>self.limit: break
            low=rows
            price*=homotopy
        rng=np.random.default_rng(seed)
        price0=price
        self.noise=None
        self.log and self.log('homotopy')
        k=0
        while time.time()-self.t0<seconds:
            t=time.time()
            blur=(0.001,0.003,0.0003)[k%3]
            T=self.best[0]
            self.noise=None
            rows=self.repair(rows, price, T*blur, mid)
            p=self.note(rows); a=p.cycles
            price=T/self.limit
            rows=self.descend(rows, price*0.3, T*blur, full, self.limit)
            p=self.note(rows)
            self.log and self.log(f"  {time.time()-self.t0:.2f} round {k} repaired {a:.0f} filled {p.cycles:.0f} D {p.dsps} {time.time()-t:.2f}")
            if p.cycles>self.best[0]*1.01: rows=self.best[1]
            # shake
            self.noise=np.exp(rng.normal(0,0.5,len(self.wires)))
            for b in BL: rows=self.descend(rows, price*(0.4,0.7,1.0,1.5)[k%4], T*b, mid, most=4)
            k+=1
        self.noise=None
        return self.best
