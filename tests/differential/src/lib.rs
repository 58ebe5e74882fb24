//! Compares Slipway with Helm and Go on generated input: the same output, or the same error text.
//!
//! The real thing is [`oracle`], a small Go program beside this crate that imports Helm's engine and
//! `sigs.k8s.io/yaml` and answers questions in JSON, one per line. The same questions go to [`ours`].
//!
//! What is asked comes from the [`generate`] modules. A generator is a plain function that builds its text from
//! [`choices::Choices`], a list of numbers; proptest makes the list from a seed and, when the two answers differ,
//! shrinks it to the shortest list whose text still shows the difference. Questions are asked in batches, since
//! waiting for each answer would cost more than working it out.
//!
//! A [`suite`] runs one generator until its time is up, counts in [`coverage`] what the generated text held, and
//! fails with the smallest text it could find for each kind of difference. `SLIPWAY_SEED` repeats a run,
//! `SLIPWAY_DIFFERENTIAL_SECONDS` sets the time of each suite. Without Go nothing can be asked: the test then says
//! so and passes, unless `SLIPWAY_REQUIRE_ORACLE` is set.
#![expect(
    clippy::format_push_string,
    clippy::format_collect,
    reason = "generators read better when pieces of text are put together by format"
)]

pub mod choices;
pub mod coverage;
pub mod generate;
pub mod oracle;
pub mod ours;
pub mod suite;
