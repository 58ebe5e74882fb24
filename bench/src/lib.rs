//! Compares Slipway with its peers: output, time and memory.
