irdl.dialect @vec {
  irdl.operation @axpy {
    %f = irdl.is f64
    %m = irdl.base "!builtin.memref"
    irdl.operands(alpha: %f, x: %m, y: %m)
  }
  irdl.operation @contract {
    %m = irdl.base "!builtin.memref"
    irdl.operands(a: %m, b: %m, c: %m)
  }
}