"""One step of a sweep in vectors of four numbers, written in LLVM's own terms.

numba does not find the vectors of this step by itself: it must assume that the arrays overlap. Everything else in
`kernels/` is plain Python; this file is not, so it has a scalar twin, `tests/reference/sweep_by_scalars.py`, which a
test holds it to. LLVM turns the vectors into what the machine has: halves of four without AVX, fused where it can.

`P[a, m]` is Σ e^{−t_m x} over the documents of class a passed so far, x being their distance in score from the present
one; `D[r, a, m]` the same sum of their differences in height r; `P0[a]` and `D0[r, a]` are those of rate 0, which do
not decay. All are flat, with `VECTORS` · 4 terms per class, and classes padded to a multiple of 4 in P0 and D0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

LANES = 4
DENORMAL = 1e-280  # added where products would become denormal numbers, which are slow
ORDER_FREE = ("contract", "reassoc", "nsz")  # sums may be fused and reordered

NUMBER, INDEX, LANE = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
VECTOR = ir.VectorType(NUMBER, LANES)
UNKNOWN = ir.Constant(VECTOR, ir.Undefined)

Typed = tuple[Signature, Callable[..., ir.Value]]  # what an intrinsic says of its types: its signature and its code


class _Writer:
    """Writes vector instructions, and finds the arrays among the arguments."""

    def __init__(
        self, context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
    ) -> None:
        self.context, self.builder, self.types, self.arguments = context, builder, signature.args, arguments

    def array(self, number: int) -> ir.Value:
        """Where the data of an array argument begin."""
        array = self.context.make_array(self.types[number])  # type: ignore[no-untyped-call]
        return array(self.context, self.builder, self.arguments[number]).data

    def place(self, base: ir.Value, at: int | ir.Value) -> ir.Value:
        return self.builder.gep(base, [INDEX(at) if isinstance(at, int) else at])

    def load(self, base: ir.Value, at: int | ir.Value) -> ir.Value:
        return self.builder.load(self.builder.bitcast(self.place(base, at), VECTOR.as_pointer()), align=8)

    def store(self, vector: ir.Value, base: ir.Value, at: int | ir.Value) -> None:
        self.builder.store(vector, self.builder.bitcast(self.place(base, at), VECTOR.as_pointer()), align=8)

    def add(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.builder.fadd(a, b, flags=ORDER_FREE)

    def times(self, a: ir.Value, b: ir.Value) -> ir.Value:
        return self.builder.fmul(a, b, flags=ORDER_FREE)

    def lane(self, vector: ir.Value, at: int) -> ir.Value:
        return self.builder.extract_element(vector, LANE(at))

    def put(self, vector: ir.Value, at: int, number: ir.Value) -> ir.Value:
        return self.builder.insert_element(vector, number, LANE(at))

    def pack(self, numbers: list[ir.Value]) -> ir.Value:
        vector = UNKNOWN
        for at, number in enumerate(numbers):
            vector = self.put(vector, at, number)
        return vector

    def copies(self, number: ir.Value) -> ir.Value:
        everywhere = ir.Constant(ir.VectorType(LANE, LANES), [0] * LANES)
        return self.builder.shuffle_vector(self.put(UNKNOWN, 0, number), UNKNOWN, everywhere)

    def variable(self) -> ir.Value:
        """A vector of zeros that can be increased."""
        zeros = ir.Constant(VECTOR, [0.0] * LANES)
        place = cgutils.alloca_once(self.builder, VECTOR)  # type: ignore[no-untyped-call,unused-ignore]
        self.builder.store(zeros, place)
        return place

    def increase(self, variable: ir.Value, vector: ir.Value) -> None:
        self.builder.store(self.add(self.builder.load(variable), vector), variable)

    def total(self, variables: list[ir.Value]) -> ir.Value:
        first, second = map(self.builder.load, variables)
        vector = self.add(first, second)
        a, b, c, d = (self.lane(vector, at) for at in range(LANES))
        return self.add(self.add(a, b), self.add(c, d))


def _powers(write: _Writer, z: ir.Value, vectors: int) -> list[ir.Value]:
    """z, z², z³, …"""
    two = write.times(z, z)
    four = write.times(two, two)
    powers, factor = [write.pack([z, two, write.times(two, z), four])], write.copies(four)
    while len(powers) < vectors:
        powers.append(write.times(powers[-1], factor))
    return powers


def _squares(write: _Writer, z: ir.Value, vectors: int, between: int) -> list[ir.Value]:
    """z, z², z⁴, z⁸, …, the last two replaced by the products of terms `between` and +1, and of +1 and +2."""
    two = write.times(z, z)
    four = write.times(two, two)
    squares = [write.pack([z, two, four, write.times(four, four)])]
    while len(squares) < vectors:
        vector = squares[-1]
        for _ in range(LANES):
            vector = write.times(vector, vector)
        squares.append(vector)
    low, middle, high = (write.lane(squares[m // LANES], m % LANES) for m in range(between, between + 3))
    squares[-1] = write.put(squares[-1], LANES - 2, write.times(low, middle))
    squares[-1] = write.put(squares[-1], LANES - 1, write.times(middle, high))
    return squares


def _step(
    _: Context, factors: types.IntegerLiteral, classes: types.IntegerLiteral, vectors: types.IntegerLiteral,
    between: types.IntegerLiteral, P: types.Array, D: types.Array, P0: types.Array, D0: types.Array, z: types.Float,
    rises: types.Array, push_weights: types.Array, bend_weights: types.Array, zero_weights: types.Array,
) -> Typed:  # fmt: skip
    """One document on, past a gap in score with z = e^{−t·gap}, t the slowest rate: λ and Hessian of the next one.

    D ← (D + rises · P) · decay and P ← P · decay; the λ is the sum of `push_weights` · D and of `zero_weights` · D0,
    the Hessian that of `bend_weights` · D. Rates are t, 2t, 3t, … where `between` is 0, else t, 2t, 4t, …
    (`_squares`). The first four arguments are constants.
    """
    constants = (factors, classes, vectors, between)
    F, K, V, middle = (constant.literal_value for constant in constants)
    arrays = (P, D, P0, D0, z, rises, push_weights, bend_weights, zero_weights)

    def write_step(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        write = _Writer(context, builder, signature, arguments)
        P, D, P0, D0, steps, pushes, bends, zeros = (write.array(number) for number in (4, 5, 6, 7, 9, 10, 11, 12))
        z = arguments[8]
        decays = _squares(write, z, V, middle) if middle else _powers(write, z, V)
        rise = [write.copies(builder.load(write.place(steps, r))) for r in range(F)]
        tiny = ir.Constant(VECTOR, [DENORMAL] * LANES)
        # two sums each, so that none waits for the one before it
        push, bend = ([write.variable() for _ in range(2)] for _ in range(2))
        # A loop over classes: written out for 64 of them, the compiler would take minutes.
        with cgutils.for_range(builder, INDEX(K)) as loop:
            first = builder.mul(loop.index, INDEX(V * LANES))
            for v in range(V):
                at = builder.add(first, INDEX(v * LANES))
                p = write.load(P, at)
                for r in range(F):
                    here = builder.add(at, INDEX(r * K * V * LANES))
                    d = write.times(write.add(write.load(D, here), write.times(rise[r], p)), decays[v])
                    write.store(d, D, here)
                    write.increase(push[v % 2], write.times(write.load(pushes, here), d))
                    write.increase(bend[v % 2], write.times(write.load(bends, here), d))
                write.store(write.add(write.times(p, decays[v]), tiny), P, at)
        padded = 0 if middle else -(-K // LANES) * LANES
        for at in range(0, padded, LANES):
            p = write.load(P0, at)
            for r in range(F):
                d = write.add(write.load(D0, r * padded + at), write.times(rise[r], p))
                write.store(d, D0, r * padded + at)
                write.increase(push[0], write.times(write.load(zeros, r * padded + at), d))
        sums = [write.total(push), write.total(bend)]
        return context.make_tuple(builder, signature.return_type, sums)  # type: ignore[no-untyped-call]

    pair = types.UniTuple(types.float64, 2)  # type: ignore[no-untyped-call,unused-ignore]
    return pair(*constants, *arrays), write_step


def _admit(
    _: Context, vectors: types.IntegerLiteral, P: types.Array, P0: types.Array, label_class: types.Integer,
    share: types.Float,
) -> Typed:  # fmt: skip
    """A document of class a is among those passed: P[a] += share, P0[a] += share. `vectors` is a constant."""
    V = vectors.literal_value

    def write_entry(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: Sequence[ir.Value]
    ) -> ir.Value:
        write = _Writer(context, builder, signature, arguments)
        label_class, share = arguments[3], arguments[4]
        base = write.place(write.array(1), builder.mul(label_class, INDEX(V * LANES)))
        for at in range(0, V * LANES, LANES):
            write.store(write.add(write.load(base, at), write.copies(share)), base, at)
        place = write.place(write.array(2), label_class)
        builder.store(write.add(builder.load(place), share), place)
        return context.get_dummy_value()  # type: ignore[no-untyped-call]

    return types.void(vectors, P, P0, types.int64, types.float64), write_entry


step: Callable[..., tuple[float, float]] = intrinsic(prefer_literal=True)(_step)
admit: Callable[..., None] = intrinsic(prefer_literal=True)(_admit)
