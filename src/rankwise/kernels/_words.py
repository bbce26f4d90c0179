"""Words of 64 bits: instructions of the processor that numba has no name for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

WORD_BITS = 64
VECTOR_BYTES = 32
WORD = ir.IntType(WORD_BITS)
Typed = tuple[Signature, Callable[..., ir.Value]]  # what an intrinsic says of its types: its signature and its code


def instruction(define: Callable[..., Typed]) -> Callable[..., Any]:
    """What compiled code calls with values, defined by what is written for their types."""
    made: Callable[..., Any] = intrinsic(define)
    return made


def data_of(context: BaseContext, builder: ir.IRBuilder, kind: Type, array: ir.Value) -> ir.Value:
    """Where the data of an array begin."""
    made = context.make_array(kind)  # type: ignore[no-untyped-call]
    return made(context, builder, array).data


def repeated(builder: ir.IRBuilder, value: ir.Value, kind: ir.VectorType) -> ir.Value:
    """A vector of copies of a value."""
    unknown = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(unknown, value, ir.IntType(32)(0))
    return builder.shuffle_vector(
        first, unknown, ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    )


@instruction
def lowest_bit(_: Context, word: Type) -> Typed:
    """The place of the lowest bit that is set; 64 if there is none."""

    def generate(_: BaseContext, builder: ir.IRBuilder, __: Signature, arguments: list[ir.Value]) -> ir.Value:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@instruction
def load_word(_: Context, text: Type, at: Type) -> Typed:
    """The eight bytes of a text from a place on, the first of them the lowest; they must be there."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        place = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        return builder.load(builder.bitcast(place, WORD.as_pointer()), align=1)

    return types.uint64(text, types.int64), generate


@instruction
def bytes_between(_: Context, text: Type, at: Type, low: Type, high: Type) -> Typed:
    """A bit for each of the `VECTOR_BYTES` of a text from a place on, set if it is in a range; they must be there."""
    kind = ir.VectorType(ir.IntType(8), VECTOR_BYTES)

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        place = builder.gep(data_of(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        signs = builder.load(builder.bitcast(place, kind.as_pointer()), align=1)
        first, last = (repeated(builder, builder.trunc(one, kind.element), kind) for one in arguments[2:])
        inside = builder.icmp_unsigned("<=", builder.sub(signs, first), builder.sub(last, first))
        return builder.zext(builder.bitcast(inside, ir.IntType(VECTOR_BYTES)), WORD)

    return types.uint64(text, types.int64, types.int64, types.int64), generate
