"""Scores of a sum of trees by bit vectors (QuickScorer, Lucchese et al. 2015), many rows at once.

A tree is a list of conditions. Its leaves are numbered from left to right, and a row begins with a word in which the
bit of every leaf is set; each condition that sends the row right clears the leaves on the left of it, and the lowest
bit that is left is the leaf of the row. No condition depends on another, so that rows go through them side by side in
vectors. A tree of more than 64 leaves has several words.

A column is a feature as some conditions see it: what stands for 0 and what for a missing value differs between splits,
and a set of categories is a column of 0 (in the set) and 1. Thus all conditions are alike: right unless value ≤
threshold.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.types import Type
from numba.core.typing.context import Context
from numba.core.typing.templates import Signature
from numpy.typing import NDArray

from rankwise.kernels._compile import kernel
from rankwise.kernels._words import WORD, WORD_BITS, Typed, data_of, instruction, lowest_bit, repeated
from rankwise.types import FloatArray, IntArray

Words = NDArray[np.uint64]
Numbers = NDArray[np.int32]

BLOCK_ROWS = 64  # their columns stay in the second-level cache
LANES = 16  # rows of a step, whose words fill several registers of vectors
VALUE_LANES, WORD_LANES = ir.VectorType(ir.DoubleType(), LANES), ir.VectorType(WORD, LANES)
ZERO = float(np.float32(1e-35))  # LightGBM takes what is not farther from 0 for 0


@instruction
def _clear_leaves(
    _: Context, values: Type, row: Type, columns: Type, thresholds: Type, masks: Type, low: Type, high: Type, bits: Type
) -> Typed:
    """Write the words of `LANES` rows from `row` on, after the conditions from `low` to `high`.

    The same as a loop over conditions around one over rows, whose words would go to memory and back each time: here
    they stay in registers.
    """

    def generate(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        def data(number: int) -> ir.Value:
            return data_of(context, builder, signature.args[number], arguments[number])

        def lanes(pointer: ir.Value, kind: ir.VectorType) -> ir.Value:
            return builder.bitcast(pointer, kind.as_pointer())

        x, first, of, limits, cleared, start, stop, words = range(8)
        all_leaves = ir.Constant(WORD_LANES, [2**WORD_BITS - 1] * LANES)
        kept = cgutils.alloca_once_value(builder, all_leaves)  # type: ignore[no-untyped-call]
        with cgutils.for_range(builder, arguments[stop], start=arguments[start], intp=WORD) as loop:
            column = builder.sext(builder.load(builder.gep(data(of), [loop.index])), WORD)
            place = builder.add(builder.mul(column, WORD(BLOCK_ROWS)), arguments[first])
            value = builder.load(lanes(builder.gep(data(x), [place]), VALUE_LANES), align=8)
            threshold = repeated(builder, builder.load(builder.gep(data(limits), [loop.index])), VALUE_LANES)
            mask = repeated(builder, builder.load(builder.gep(data(cleared), [loop.index])), WORD_LANES)
            stays = builder.select(builder.fcmp_ordered("<=", value, threshold), all_leaves, mask)
            builder.store(builder.and_(builder.load(kept), stays), kept)
        builder.store(builder.load(kept), lanes(builder.gep(data(words), [arguments[first]]), WORD_LANES), align=8)
        return context.get_dummy_value()  # type: ignore[no-untyped-call]

    index = types.int64
    return types.void(values, index, columns, thresholds, masks, index, index, bits), generate


@kernel
def score_trees(
    X: FloatArray, features: Numbers, for_zero: FloatArray, for_missing: FloatArray, set_starts: IntArray,
    set_words: Words, columns: Numbers, thresholds: FloatArray, masks: Words, word_starts: Numbers,
    word_leaves: Numbers, tree_words: Numbers, leaf_values: FloatArray, scores: FloatArray,
) -> None:  # fmt: skip
    """Write the sum of the trees for each row of X, added from the first tree to the last.

    Columns: `features` has the feature of each, `for_zero` and `for_missing` what takes the place of such values, and
    `set_words[set_starts[k] : set_starts[k + 1]]` the bits of its categories, if it is of a set. Conditions: those of
    word w are `columns`, `thresholds` and `masks` from `word_starts[w]` to `word_starts[w + 1]`. Words: bit 0 of w is
    leaf `word_leaves[w]`, and those of tree t are from `tree_words[t]` to `tree_words[t + 1]`, its last leaves first.
    """
    values = np.zeros((features.size, BLOCK_ROWS))
    bits, totals = np.empty(BLOCK_ROWS, dtype=np.uint64), np.empty(BLOCK_ROWS)
    leaves = np.zeros(BLOCK_ROWS, dtype=np.int64)
    for first in range(0, X.shape[0], BLOCK_ROWS):
        count = min(BLOCK_ROWS, X.shape[0] - first)
        width = (count + LANES - 1) // LANES * LANES
        for k in range(features.size):
            value, feature, zero, missing = values[k], features[k], for_zero[k], for_missing[k]
            low, n_categories = set_starts[k], (set_starts[k + 1] - set_starts[k]) * WORD_BITS
            for r in range(count):
                value[r] = X[first + r, feature]
            for r in range(width):
                x = value[r]
                value[r] = missing if np.isnan(x) else zero if abs(x) <= ZERO else x
            if n_categories:
                for r in range(count):
                    x, outside = value[r], 1.0
                    if x > -1.0 and x < n_categories:  # a fraction belongs to the category next to it, towards 0
                        category = np.int64(x)
                        bit = set_words[low + category // WORD_BITS] >> np.uint64(category % WORD_BITS)
                        outside = 0.0 if bit & np.uint64(1) else 1.0
                    value[r] = outside
        totals[:width] = 0.0
        for t in range(tree_words.size - 1):
            for w in range(tree_words[t], tree_words[t + 1]):
                low, high = word_starts[w], word_starts[w + 1]
                for r in range(0, width, LANES):
                    _clear_leaves(values, r, columns, thresholds, masks, low, high, bits)
                for r in range(width):
                    if bits[r]:
                        leaves[r] = word_leaves[w] + lowest_bit(bits[r])
            for r in range(width):
                totals[r] += leaf_values[leaves[r]]
        scores[first : first + count] = totals[:count]
