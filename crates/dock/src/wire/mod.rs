//! The forms in which the server shows what it has: discovery documents, tables, protobuf.

pub mod discovery;
pub mod openapi;
pub mod protobuf;
pub mod table;
