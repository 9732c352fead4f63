// A matrix engine: tiles are multiplied and accumulated, a vector unit works on what comes out.
irdl.dialect @accel {
  irdl.operation @matmul {
    %a = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %acc = irdl.base "!builtin.tensor"
    %result = irdl.base "!builtin.tensor"
    irdl.operands(a: %a, b: %b, acc: %acc)
    irdl.results(result: %result)
  }
  irdl.operation @bias {
    %x = irdl.base "!builtin.tensor"
    %b = irdl.base "!builtin.tensor"
    %result = irdl.base "!builtin.tensor"
    irdl.operands(x: %x, b: %b)
    irdl.results(result: %result)
  }
  irdl.operation @relu {
    %x = irdl.base "!builtin.tensor"
    %result = irdl.base "!builtin.tensor"
    irdl.operands(x: %x)
    irdl.results(result: %result)
  }
  irdl.operation @scale {
    %x = irdl.base "!builtin.tensor"
    %f32 = irdl.is f32
    %f64 = irdl.is f64
    %factor = irdl.any_of(%f32, %f64)
    %result = irdl.base "!builtin.tensor"
    irdl.operands(x: %x, factor: %factor)
    irdl.results(result: %result)
  }
  irdl.operation @conv2d {
    %image = irdl.base "!builtin.tensor"
    %kernel = irdl.base "!builtin.tensor"
    %acc = irdl.base "!builtin.tensor"
    %result = irdl.base "!builtin.tensor"
    irdl.operands(image: %image, kernel: %kernel, acc: %acc)
    irdl.results(result: %result)
  }
  irdl.operation @barrier {
    irdl.operands()
    irdl.results()
  }
}
