"""The C file that makes a function callable over flat memory: ``tl_call(void **arguments, void *result)``.

Scalars are read through pointers of their own type, and an array is passed as ``void *``, which C converts to any
pointer type, those to variable-length arrays included.  What is no parameter of C is put where C reaches it
(``tl.access``, docs/loop-ir.md) and, where the function may change it in place, read back after the call:

    m.rows  m->rows         a structure on the stack of ``tl_call`` holds the members
    x[].re  s->b[].gain     so does an array of structures; its length stands behind the arguments
    s->p[].re  s->g->n      what members point to is allocated there
    total  table[]  s.sum   globals of the file, which is included, so that even static ones are seen

A trailing ``[]`` marks what lies inside of the structure or global itself, and is not pointed to.  The time of the call
alone, without what stands before and after it, is left in ``tl_nanoseconds``.

The C++ file that makes a function callable over flat memory: ``tl_call(void **arguments, void *result)``.

``tl.prototype`` of the loop IR (docs/loop-ir.md) says how the function is called.  Vectors are built from the flat
arrays before the call, and those that the function may write are read back after it.  Behind the arguments stand, for
every parameter of the loop IR, the extents of the container that it is.  A vector that has another size after the call
than the loop IR says ends the process with a message.  Objects of classes are made member by member, without their
constructors: access control is off.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse
from tensorlift.ir.prototype import RETURNED, container_rank

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.ir.function import FunctionView, Parameter


_QUALIFIERS = re.compile(r"\b(const|restrict|volatile|register)\b")
# What is asked for by name stays where a compiler takes a file for the whole program and leaves out what is not used.
VISIBLE = "__attribute__((externally_visible))"
# The clock is declared under another name, whatever the source includes or defines; its number 1 is the monotonic one.
CLOCK = f"""int tl_gettime(int, long *) __asm__("clock_gettime");
static long long tl_clock(void) {{ long tl_at[2]; tl_gettime(1, tl_at); return tl_at[0] * 1000000000LL + tl_at[1]; }}
{VISIBLE} long long tl_nanoseconds;"""  # of the last call


def is_complex(ctype: str) -> bool:
    """Whether a type of C is that of complex numbers."""
    return "_Complex" in ctype


def timed(call: str) -> str:
    """Let a call leave its own time in ``tl_nanoseconds``; past the system's clock nothing is moved."""
    return f"tl_nanoseconds = -tl_clock(); {call}; tl_nanoseconds += tl_clock()"


def call_file(included: str, view: FunctionView) -> str:
    """Write the file; raises LiftError TL603 for a parameter that is not C's own."""
    own = tuple((p.name, "") for p in view.parameters if not p.access)
    declared = view.c_parameters or own
    structures = {name: _QUALIFIERS.sub("", ctype).strip() for name, ctype in declared if ctype}
    before = [_declaration(name, ctype, view) for name, ctype in structures.items()]
    before += [
        line for position in range(len(view.parameters)) for line in _moved(view, position, structures, back=False)
    ]
    after = [line for position in range(len(view.parameters)) for line in _moved(view, position, structures, back=True)]
    arguments = ", ".join(_argument(name, structures, view) for name, _ in declared)
    result = f"*({c_scalar(view.result_dtype)} *)tl_result = " if view.result_dtype else ""
    if any(p.is_returned for p in view.parameters):
        result = "__auto_type tl_returned = "
    call = timed(f"{result}{view.name}({arguments})")
    lines = "".join(f"  {line}\n" for line in [*before, f"{call};", *after])
    head = f"{VISIBLE} void tl_call(void **tl_arguments, void *tl_result)"
    return f'#include "{included}"\n{CLOCK}\n{head} {{\n{lines}}}\n'


_NAMED = {"f16": "_Float16", "f32": "float", "f64": "double", "bool": "_Bool"}


def c_scalar(dtype: str) -> str:
    """Name the C type of a scalar without any header."""
    if dtype in _NAMED:
        return _NAMED[dtype]
    return ("__INT" if dtype[0] == "i" else "__UINT") + f"{dtype[1:]}_TYPE__"


def _declaration(name: str, ctype: str, view: FunctionView) -> str:
    """Declare the structure, or the array of structures, that a parameter of C is or points to, all zeros.

    Behind it there is room for arrays that it ends with; C tells which members are arrays and which are pointers.
    """
    record, own = ctype.removesuffix("*").strip(), [p for p in view.parameters if p.access and p.member[0] == name]
    held = sorted({holder for p in own for holder in p.holders} - {name})  # what leads to another one comes before it
    rooms = {f"tl_{_identifier(h)}": f"sizeof *{_reached(h)} * tl_{_identifier(h)}_length" for h in held}
    inside = [f"sizeof({c_scalar(p.dtype)}) * {_length(view, p)}" for p in own if p.lies_inside and p.role == "array"]
    room = " + ".join([f"sizeof({record}) * tl_{_identifier(name)}_length", *rooms.values(), *inside])
    text = "".join(_longest(holder, view) for holder in (name, *held))
    text += f"{record} *tl_{name} = __builtin_alloca({room}); __builtin_memset((void *)tl_{name}, 0, {room});"
    for holder, (made, memory) in zip(held, rooms.items(), strict=True):
        at = _reached(holder)
        text += f" void *{made} = __builtin_memset(__builtin_alloca({memory}), 0, {memory});"
        is_pointer = f"__builtin_types_compatible_p(__typeof__({at}), __typeof__(&*{at}))"
        text += f" if ({is_pointer}) __builtin_memcpy((void *)&{at}, &{made}, sizeof {made});"
    return text


def _reached(holder: str) -> str:
    """Spell a structure, or an array of them, that others hold or point to."""
    root, path = re.split(r"->|\[\]\.|\.", holder, maxsplit=1)
    return f"tl_{root}->{path}"


def _longest(holder: str, view: FunctionView) -> str:
    """Declare the length of an array of structures; it is one where they are none."""
    length = f"tl_{_identifier(holder)}_length"
    lengths = [_length(view, p) for p in view.parameters if p.is_column and p.holders[-1] == holder]
    longest = "".join(f" if ({one} > {length}) {length} = {one};" for one in lengths)
    return f"long {length} = 1;{longest} "


def _length(view: FunctionView, parameter: Parameter) -> str:
    """Spell how many elements an array of what C has no parameter for has, or how many structures."""
    return f"*(long *)tl_arguments[{len(view.parameters) + view.parameters.index(parameter)}]"


def _identifier(holder: str) -> str:
    return re.sub(r"\W+", "_", holder)


def _moved(view: FunctionView, position: int, structures: Mapping[str, str], *, back: bool) -> Iterator[str]:
    """Put an argument where C reaches it, if it is no parameter of C; or read ``back`` what the function may change."""
    parameter = view.parameters[position]
    if not parameter.access or (back and parameter.name not in view.written):
        return
    place, argument = _place(parameter, structures), f"tl_arguments[{position}]"
    if parameter.is_returned:
        at = f"tl_{parameter.access.removesuffix('[]').replace(RETURNED, 'returned', 1)}"
        size = f"sizeof({c_scalar(parameter.dtype)}) * {_length(view, parameter)}"
        source = f"&{at}, sizeof {at}" if parameter.lies_inside else f"{at}, {size}"
        yield from [f"__builtin_memcpy({argument}, {source});"] * back
        return
    if parameter.is_column or parameter.lies_inside:
        ends = [f"&{place}", f"(char *){argument} + tl_i * sizeof {place}" if parameter.is_column else argument]
        size, length = f"sizeof {place}", _length(view, parameter)
        if parameter.lies_inside and parameter.role == "array":
            size = f"sizeof({c_scalar(parameter.dtype)}) * {length}"
        copied = f"__builtin_memcpy((void *){', '.join(ends[::-1] if back else ends)}, {size});"
        yield f"for (long tl_i = 0; tl_i < {length}; tl_i++) {copied}" if parameter.is_column else copied
    elif len(parameter.holders) > 1 and not back:  # what is pointed to may be constant
        value = f"&{argument}" if parameter.role == "array" else argument
        yield f"__builtin_memcpy((void *)&{place}, {value}, sizeof {place});"
    elif not back:
        value = argument if parameter.role == "array" else f"*({c_scalar(parameter.dtype)} *){argument}"
        yield f"{place} = {value};"


def _place(parameter: Parameter, structures: Mapping[str, str]) -> str:
    """Spell the lvalue in ``tl_call`` that a parameter stands for."""
    root, link, path = parameter.member
    if root not in structures:
        return f"{root}{link}{path}".replace("[].", "[tl_i].")
    if is_complex(structures[root]):
        return f"__{'real' if path == 're' else 'imag'}__ *tl_{root}"
    return f"tl_{root}[tl_i].{path}" if link == "[]." else f"tl_{root}->{path.replace('[].', '[tl_i].')}"


def _argument(name: str, structures: Mapping[str, str], view: FunctionView) -> str:
    """Spell what is passed for a parameter of C."""
    if name in structures:
        return f"{'*' * (not structures[name].endswith('*'))}tl_{name}"
    position = next((k for k, p in enumerate(view.parameters) if p.name == name and not p.access), -1)
    parameter = view.parameters[position]
    if position < 0 or not parameter.name.isidentifier() or not parameter.c_type:
        message = f"'{name}' is no parameter of the C function, so the original cannot be called"
        raise refuse("TL603", message, view.location, "pass it as a parameter")
    if parameter.role == "array":
        return f"tl_arguments[{position}]"
    return f"*({c_scalar(parameter.dtype)} *)tl_arguments[{position}]"


Part = dict[str, Any]

_HEAD = """#include <array>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>
template <class T, class E> void tl_read(T &to, const E *&from, const long *) { to = (T)*from++; }
template <class C, class T> C tl_pair(T re, T im) {
  T parts[] = {re, im};
  C made;
  std::memcpy((void *)&made, parts, sizeof made);
  return made;
}
template <class T> void tl_read(std::complex<T> &to, const T *&from, const long *) {
  to = std::complex<T>(from[0], from[1]);
  from += 2;
}
template <class T> void tl_write(const std::complex<T> &from, T *&to, const long *, const char *) {
  *to++ = from.real();
  *to++ = from.imag();
}
inline void tl_write(const __complex__ double &from, double *&to, const long *, const char *) {
  *to++ = __real__ from;
  *to++ = __imag__ from;
}
inline void tl_write(const __complex__ float &from, float *&to, const long *, const char *) {
  *to++ = __real__ from;
  *to++ = __imag__ from;
}
template <class T, class E> void tl_read(std::vector<T> &to, const E *&from, const long *extents) {
  to.resize(extents[0]);
  for (T &part : to) tl_read(part, from, extents + 1);
}
template <class T, std::size_t N, class E> void tl_read(std::array<T, N> &to, const E *&from, const long *extents) {
  for (T &part : to) tl_read(part, from, extents + 1);
}
template <class T, std::size_t N, class E> void tl_read(T (&to)[N], const E *&from, const long *extents) {
  for (T &part : to) tl_read(part, from, extents + 1);
}
template <class T, class E> void tl_write(const T &from, E *&to, const long *, const char *) { *to++ = (E)from; }
template <class T, class E> void tl_write(const std::vector<T> &from, E *&to, const long *extents, const char *name) {
  if ((long)from.size() != extents[0]) {
    std::fprintf(stderr, "%s has %ld elements where %ld are expected\\n", name, (long)from.size(), extents[0]);
    std::_Exit(1);
  }
  for (const T &part : from) tl_write(part, to, extents + 1, name);
}
template <class T, std::size_t N, class E>
void tl_write(const std::array<T, N> &from, E *&to, const long *extents, const char *name) {
  for (const T &part : from) tl_write(part, to, extents + 1, name);
}
template <class T, std::size_t N, class E>
void tl_write(const T (&from)[N], E *&to, const long *extents, const char *name) {
  for (const T &part : from) tl_write(part, to, extents + 1, name);
}
"""


def cpp_call_file(included: str, view: FunctionView) -> str:
    """Write the file; raises LiftError TL603 for a parameter that the loop IR does not have."""
    described = json.loads(view.prototype)
    writer = _Writer(view)
    for part in described["parameters"]:
        writer.parameter(part)
    returned = described["returns"]
    call = f"{described['call']}({', '.join(writer.passed)})"
    if "container" in returned or "record" in returned:
        call = f"{returned['type']} tl_returned = {call}"
        writer.after += list(writer.stored("tl_returned", returned))
    elif view.result_dtype:
        call = f"*({c_scalar(view.result_dtype)} *)tl_result = {call}"
    lines = "".join(f"  {line}\n" for line in [*writer.before, f"{timed(call)};", *writer.after])
    return (
        f'{_HEAD}#include "{included}"\nextern "C" {{ {CLOCK} }}\n'
        f'extern "C" {VISIBLE} void tl_call(void **tl_arguments, void *tl_result) {{\n  (void)tl_result;\n{lines}}}\n'
    )


def container_ranks(view: FunctionView) -> dict[str, int]:
    """Give the number of dimensions of each container, by the parameter of the loop IR that holds its elements."""
    described = json.loads(view.prototype)
    work: list[Part] = [*described["parameters"], described["returns"]]
    found: dict[str, int] = {}
    while work:
        part = work.pop()
        work.extend(part.get("record", ()))
        if "container" in part:
            found[part["container"]] = container_rank(part["type"])
    return found


class _Writer:
    """Writes the statements before and after the call."""

    def __init__(self, view: FunctionView) -> None:
        self._view = view
        self._positions = {p.name: k for k, p in enumerate(view.parameters)}
        self.before: list[str] = []
        self.after: list[str] = []
        self.passed: list[str] = []

    def parameter(self, part: Part) -> None:
        """Make an argument of the call."""
        name = f"tl_{part['name']}"
        if "record" in part:
            self.before.append(f"alignas({part['type']}) static char {name}_memory[sizeof({part['type']})];")
            self.before.append(f"std::memset({name}_memory, 0, sizeof {name}_memory);")
            self.before.append(f"{part['type']} &{name} = *reinterpret_cast<{part['type']} *>({name}_memory);")
        elif "container" in part:
            self.before.append(f"using {name}_type = {part['type']}; {name}_type {name};")
        self.before += list(self._filled(name, part))
        self.after += list(self.stored(name, part))
        is_plain = bool({"value", "pointer", "cell", "parts"} & part.keys())
        self.passed.append(self._place(part) if is_plain else f"{'&' * ('address' in part)}{name}")

    def _filled(self, place: str, part: Part) -> Iterator[str]:
        """Give an argument, or a member of one, its value."""
        if "container" in part:
            yield f"{{ const {self._element(part)} *tl_from = {self._memory(part)}; "
            yield f"  tl_read({place}, tl_from, {self._extents(part)}); }}"
        for member in part.get("record", ()):
            inner = f"{place}.{member['path']}"
            if "record" not in member:
                yield f"new (&{inner}) std::remove_reference<decltype({inner})>::type();"
            if {"value", "pointer"} & member.keys():
                yield f"const_cast<{member['type']} &>({inner}) = {self._place(member)};"
            yield from self._filled(inner, member)

    def stored(self, place: str, part: Part) -> Iterator[str]:
        """Read back what the call may have written."""
        if "container" in part and part["container"] in self._view.written:
            yield f"{{ {self._element(part)} *tl_to = ({self._element(part)} *){self._memory(part)}; "
            yield f'  tl_write({place}, tl_to, {self._extents(part)}, "{part["container"]}"); }}'
        if "cell" in part and "path" in part:
            parameter = self._view.parameters[self._position(part["cell"])]
            yield f"*({c_scalar(parameter.dtype)} *)tl_arguments[{self._position(part['cell'])}] = {place};"
        for member in part.get("record", ()):
            yield from self.stored(f"{place}.{member['path']}", member)

    def _place(self, part: Part) -> str:
        """Spell a number or a pointer that is passed."""
        if "parts" in part:
            return f"tl_pair<{part['type']}>({', '.join(self._place({'value': name}) for name in part['parts'])})"
        name = part.get("value") or part.get("pointer") or part["cell"]
        position = self._position(name)
        dtype = c_scalar(self._view.parameters[position].dtype)
        if "pointer" in part:
            return f"({part['type']})tl_arguments[{position}]"
        if "cell" in part:
            return f"*({part['type']} *)tl_arguments[{position}]"
        return f"*({dtype} *)tl_arguments[{position}]"

    def _memory(self, part: Part) -> str:
        return f"({self._element(part)} *)tl_arguments[{self._position(part['container'])}]"

    def _element(self, part: Part) -> str:
        return c_scalar(self._view.parameters[self._position(part["container"])].dtype)

    def _extents(self, part: Part) -> str:
        """Spell where the extents stand."""
        place = len(self._view.parameters) + self._position(part["container"])
        return f"(const long *)tl_arguments[{place}]"

    def _position(self, name: str) -> int:
        if name not in self._positions:
            message = f"'{name}' is no parameter of the loop IR, so the original cannot be called"
            raise refuse("TL603", message, self._view.location, "pass it as a parameter")
        return self._positions[name]
