//! `slipway catalog` from outside: the operator as a process with a cluster of its own, a broker that really answers, and
//! what people see.

mod buying;
mod deaths;
mod ferry;
mod giving_back;
mod members;
mod shop;
mod trouble;
