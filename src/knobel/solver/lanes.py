"""Lanes: vectors of floating-point numbers inside compiled functions, one processor instruction for all of them.

numba compiles plain loops to vector code only where it can prove that arrays do not overlap; these functions need no
proof. They may be called from compiled functions only. A width is carried by the type of a tuple of that length, so
that one kernel serves every width: `lanes_of(8)` is passed in, `load(values, offset, lanes)` gives 8 numbers.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model


class LanesType(types.Type):
    """numba's type of `width` numbers of the type `base`."""

    def __init__(self, base: Any, width: int) -> None:
        """`base` is numba's float32 or float64."""
        self.base, self.width = base, width
        super().__init__(name=f"lanes({width} x {base})")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc] # numba has no types
    def __init__(self, manager: Any, kind: LanesType) -> None:
        number = ir.FloatType() if kind.base == types.float32 else ir.DoubleType()
        super().__init__(manager, kind, ir.VectorType(number, kind.width))


def _intrinsic(function: Callable[..., Any]) -> Any:
    """numba's decorator; what it makes takes other arguments than the function has."""
    return intrinsic(function)


def lanes_of(width: int) -> tuple[int, ...]:
    """What tells a compiled function its number of lanes."""
    return (0,) * width


def _pointer(context: Any, builder: Any, kind: Any, array: Any, offset: Any, vector: Any) -> Any:
    start = builder.gep(context.make_array(kind)(context, builder, array).data, [offset])
    return builder.bitcast(start, vector.as_pointer())


def _wide(builder: Any, vector: Any, number: Any) -> Any:
    """The number in every lane."""
    none, index = ir.Constant(vector, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    first = builder.insert_element(none, number, index)
    return builder.shuffle_vector(first, none, ir.Constant(ir.VectorType(ir.IntType(32), vector.count), None))


@_intrinsic
def peek(_: Any, array: Any, index: Any) -> Any:
    """The element at an index that is known to be inside: numba would ask each time whether it counts from the end."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        index = context.cast(builder, arguments[1], signature.args[1], types.intp)
        return builder.load(builder.gep(context.make_array(array)(context, builder, arguments[0]).data, [index]))

    return array.dtype(array, index), generate


@_intrinsic
def load(_: Any, array: Any, offset: Any, lanes: Any) -> Any:
    """The lanes at `array[offset:]` of a one-dimensional array, which must hold that many."""
    kind = LanesType(array.dtype, len(lanes))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = context.get_data_type(kind)
        offset = context.cast(builder, arguments[1], signature.args[1], types.intp)
        value = builder.load(_pointer(context, builder, array, arguments[0], offset, vector))
        value.align = array.dtype.bitwidth // 8
        return value

    return kind(array, offset, lanes), generate


@_intrinsic
def store(_: Any, array: Any, offset: Any, lanes: Any) -> Any:
    """Write lanes to `array[offset:]`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        offset = context.cast(builder, arguments[1], signature.args[1], types.intp)
        vector = context.get_data_type(lanes)
        order = builder.store(arguments[2], _pointer(context, builder, array, arguments[0], offset, vector))
        order.align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, offset, lanes), generate


@_intrinsic
def splat(_: Any, number: Any, lanes: Any) -> Any:
    """A number in every lane."""
    kind = LanesType(number, len(lanes))

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return _wide(builder, context.get_data_type(kind), arguments[0])

    return kind(number, lanes), generate


@_intrinsic
def add(_: Any, left: Any, right: Any) -> Any:
    """Sum, lane by lane."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fadd(*arguments)

    return left(left, right), generate


@_intrinsic
def multiply(_: Any, left: Any, right: Any) -> Any:
    """Product, lane by lane."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fmul(*arguments)

    return left(left, right), generate


@_intrinsic
def maximum(_: Any, left: Any, right: Any) -> Any:
    """The greater of two, lane by lane; `right` where one is no number."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *arguments), *arguments)

    return left(left, right), generate
