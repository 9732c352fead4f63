// Forms of modules that are read by their brackets, strings and comments alone.
// raised: 2, stays:
module @outer attributes {t.a = "} {", t.b = [1 : i32, {c = @outer::@inner}]} {
  module @inner {
    func.func private @declared(memref<8xf32>) attributes {x}
    func.func @zero(%A: memref<8xf32>) {
      %z = arith.constant 0.0 : f32
      affine.for %i = 0 to 8 {
        affine.store %z, %A[%i] : memref<8xf32>
      }
      return
    }
  }
  module {
    module @deep {}
  }
  func.func @fill(%A: memref<?xf32>, %n: index) {
    %z = arith.constant 1.0 : f32
    affine.for %i = 0 to %n {
      affine.store %z, %A[%i] : memref<?xf32>
    }
    return
  }
}
// -----
// raised: 1, stays: nested
builtin.module @a {
  builtin.module @b attributes {sym_visibility = "private"} {
    func.func @nested(%A: memref<8xf32>) {
      gpu.barrier
      return
    }
    func.func @copy(%A: memref<8xf32>, %B: memref<8xf32>) {
      affine.for %i = 0 to 8 {
        %0 = affine.load %A[%i] : memref<8xf32>
        affine.store %0, %B[%i] : memref<8xf32>
      }
      return
    }
    llvm.func @copy_original()
  }
  llvm.func @copy_raised()
}
// -----
// raised: 1, stays: strings
// A comment with { a brace and "a quote
func.func @strings() -> !llvm.ptr { // another }
  %0 = llvm.mlir.addressof @"a \22 } // b" : !llvm.ptr // "
  return %0 : !llvm.ptr
}
llvm.mlir.global internal constant @"a \22 } // b"("//\\")
func.func @"na me"(%A: memref<8xf32>) attributes {doc = "// no comment } \22"} {
  %z = arith.constant 0.0 : f32 // {
  affine.for %i = 0 to 8 { // (
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays:
#loc1 = loc("k.c":1:2)
func.func @fill(%A: memref<8xf32> loc("A"("k.c":1:9))) {
  %z = arith.constant 0.0 : f32 loc(#loc2)
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32> loc(#loc4)
  } loc(#loc3)
  return loc(unknown)
} loc(#loc1)
#loc2 = loc("z"(#loc1))
#loc3 = loc(callsite("k.c":3:4 at "main.c":5:6))
#loc4 = loc(fused<"inlined {">["k.c":4:5, unknown])
// -----
// raised: 1, stays: weights
func.func @weights() -> tensor<2xf32> {
  %0 = arith.constant dense_resource<w> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @fill(%A: memref<4xf32>) {
  %z = arith.constant dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>
  %c = arith.constant 0x7F800000 : f32
  affine.for %i = 0 to 4 {
    affine.store %c, %A[%i] : memref<4xf32>
  }
  return
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00000040"
    }
  },
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(cse)",
      disable_threading: true
    }
  }
#-}
// -----
// raised: 1, stays:
func.func @jumps(%c: i1, %x: f32, %y: index) -> f32 {
  cf.cond_br %c, ^one(%x, %y : f32, index), ^two(%x : f32)
^one(%a: f32, %b: index):
  cf.br ^two(%a : f32)
^two(%r: f32):
  return %r : f32
}
func.func @switch(%flag: i32, %x: f32) {
  cf.switch %flag : i32, [
    default: ^bb1(%x : f32),
    42: ^bb2,
    43: ^bb1(%x : f32)
  ]
^bb1(%a: f32):
  return
^bb2:
  return
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays: types
!t = f32
!r = memref<8x!t>
#same = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 - 3 >= 0)>
!unknown = !vendor.box<"}", tensor<?x!vendor.bit>>
func.func @types(%a: !unknown) {
  return
}
func.func @fill(%A: !r) {
  %z = arith.constant 0.0 : !t
  %c0 = arith.constant 0 : index
  affine.for %i = #same(%c0) to 8 {
    affine.store %z, %A[%i] : !r
  }
  return
}
// -----
// raised: 1, stays: taken
func.func @taken(%A: memref<8xf32>) { "vendor.x"() : () -> () return }
func.func private @fill_original(index, index) -> index
memref.global "private" @fill_raised : memref<2xf32> = dense<0.0>
func.func @fill(%A: memref<?xf32>, %n: index, %B: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %z = affine.load %B[%i] : memref<?xf32>
    affine.store %z, %A[%i] : memref<?xf32>
  }
  return
}
// -----
// raised: 1, stays: callee
func.func @callee(%A: memref<8xf32>) -> i32 {
  %0 = "vendor.count"(%A) : (memref<8xf32>) -> i32
  return %0 : i32
}
func.func @caller(%A: memref<8xf32>) -> i32 {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  %0 = call @callee(%A) : (memref<8xf32>) -> i32
  return %0 : i32
}
// -----
// raised: 1, stays:
module attributes {t.a} { func.func @one(%A: memref<2xf32>) { %z = arith.constant 0.0 : f32
    affine.for %i = 0 to 2 { affine.store %z, %A[%i] : memref<2xf32> }
    return } llvm.func @two() }
// -----
// raised: 1, stays: invalid
func.func @invalid(%A: memref<8xf32>, %i: index) {
  %0 = arith.constant 1 : i64
  affine.for %j = 0 to 8 {
    %2 = arith.index_cast %0 : i64 to f32
  }
  return
}
func.func @fill(%A: memref<8xf32>) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf32>
  }
  return
}
// -----
// raised: 1, stays:
module {
  func.func @fill(%A: memref<8xf32> {a.b = "}"}, %x: f32 {llvm.noundef}) -> (f32 {c.d}, index)
      attributes {llvm.emit_c_interface, arg = #x.y<{a = "]"}>, passthrough = [["k", "v {"]]} {
    %z = arith.constant 0.0 : f32
    %n = arith.constant {tag = "c"} 8 : index
    affine.for %i = 0 to 8 {
      affine.store %z, %A[%i] : memref<8xf32>
    }
    return %x, %n : f32, index
  }
}
// -----
// raised: 1, stays:
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8xf32>) -> (), no_inline, sym_name = "fill"}> ({
  ^bb0(%A: memref<8xf32>):
    %z = "arith.constant"() <{value = 0.0 : f32}> : () -> f32
    affine.for %i = 0 to 8 {
      affine.store %z, %A[%i] : memref<8xf32>
    }
    func.return
  }) : () -> ()
  func.func @cells(%A: memref<8xf32>) {
    linalg.exp ins(%A : memref<8xf32>) outs(%A : memref<8xf32>)
    return
  }
}) : () -> ()
// -----
// Operations without a symbol, and ones that name functions but are none.
// raised: 2, stays: unread
module {
  "other.data"() {uses = [@g, @unread]} : () -> ()
  "other.data"() {uses = @g, nested = {sym_name = "g"}} : () -> ()
  "other.symbol"() ({
    "other.symbol"() {sym_name = "inside"} : () -> ()
  }) {uses = @g, sym_name = "f_raised"} : () -> ()
  func.func @unread() {
    "other.data"() : () -> ()
    return
  }
  func.func @g(%A: memref<8xf64>) {
    %z = arith.constant 0.0 : f64
    affine.for %i = 0 to 8 {
      affine.store %z, %A[%i] : memref<8xf64>
    }
    return
  }
  func.func @f(%A: memref<8xf64>, %B: memref<8xf64>) {
    affine.for %i = 0 to 8 {
      %0 = affine.load %A[%i] : memref<8xf64>
      affine.store %0, %B[%i] : memref<8xf64>
    }
    call @g(%A) : (memref<8xf64>) -> ()
    call @unread() : () -> ()
    return
  }
}
// -----
// The same in forms of their own.
// raised: 1, stays:
vm.export @g
vm.export @k
vm.func @k(%a: i32) {
  vm.return
}
util.initializer {
  util.call @h() : () -> ()
  util.return
}
util.func private @h() {
  util.return
}
func.func @g(%A: memref<8xf64>) {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.store %z, %A[%i] : memref<8xf64>
  }
  return
}
