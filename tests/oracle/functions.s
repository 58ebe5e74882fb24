// Empty: it lets the compiler accept functions without a body, which the linker finds in other packages.
