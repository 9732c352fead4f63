// RUN: not tensorlift-ir %s 2>&1 | filecheck %s

// An operation that breaks its own rules is named with the place that it carries.
// CHECK: k.c:4:7: error TL192: arith.addf is not valid: Unexpected attribute i32
func.func @f(%a: i32) {
  %r = "arith.addf"(%a, %a) : (i32, i32) -> i32 loc("k.c":4:7)
  return
}
