//! What the annotations of one object say, once they have been checked.

use std::time::Duration;

use goyaml::Value;
use objects::annotation_list;
use objects::readiness::Expression;

use super::list;
use super::member::{Annotation, Member, Place};
use super::rank::Rank;
use super::vocabulary::Meaning;
use crate::error::PlanError;
use crate::output::Note;
use crate::span;

/// The checked annotations of one object.
#[derive(Debug, Default)]
pub(crate) struct Marks<'a> {
    /// The layer it belongs to.
    pub(crate) layer: Option<String>,
    /// Where the layers that it needs are listed.
    pub(crate) needs: Option<&'a Annotation>,
    /// Expressions that decide its readiness.
    pub(crate) success: Vec<String>,
    pub(crate) failure: Vec<String>,
    pub(crate) readiness_timeout: Option<Duration>,
    /// Whether it is not awaited.
    pub(crate) unawaited: bool,
    pub(crate) rank: Option<Rank>,
    pub(crate) delay: Option<String>,
    pub(crate) keep: bool,
}

impl<'a> Marks<'a> {
    /// Reads them, adding what is wrong to `errors` and what is worth knowing to `notes`.
    pub(crate) fn read(member: &'a Member, errors: &mut Vec<PlanError>, notes: &mut Vec<Note>) -> Self {
        let mut marks = Self::default();
        for (number, annotation) in member.annotations.iter().enumerate() {
            let meaning = annotation.spelling.meaning();
            let earlier =
                member.annotations[..number].iter().find(|other| other.spelling.meaning() == meaning);
            if let Some(earlier) = earlier {
                if !same(earlier, annotation) {
                    errors.push(PlanError::TwoSpellings {
                        object: member.id.clone(),
                        place: place(member, annotation),
                        first: earlier.spelling,
                        second: annotation.spelling,
                    });
                }
                continue;
            }
            if let Err(error) = marks.take(member, annotation, meaning) {
                errors.push(*error);
            }
        }
        let one_sided = marks.success.is_empty() != marks.failure.is_empty();
        let readiness = |annotation: &&Annotation| {
            matches!(annotation.spelling.meaning(), Meaning::ReadinessSuccess | Meaning::ReadinessFailure)
        };
        if let Some(annotation) = member.annotations.iter().find(readiness).filter(|_| one_sided) {
            notes.push(Note::OneSidedReadiness {
                object: member.id.clone(),
                annotation: annotation.spelling,
                place: place(member, annotation),
            });
        }
        marks
    }

    fn take(
        &mut self,
        member: &Member,
        annotation: &'a Annotation,
        meaning: Meaning,
    ) -> Result<(), Box<PlanError>> {
        let bad_list = |cause| {
            Box::new(PlanError::BadList {
                object: member.id.clone(),
                place: place(member, annotation),
                annotation: annotation.spelling,
                cause,
            })
        };
        let text = || list::scalar(&annotation.value).map_err(bad_list);
        let bad = |expected: &'static str| {
            Box::new(PlanError::BadValue {
                object: member.id.clone(),
                place: place(member, annotation),
                annotation: annotation.spelling,
                expected,
                found: shown(&annotation.value),
            })
        };
        match meaning {
            Meaning::Layer => {
                let name = text().map_err(|_| bad("the name of one layer"))?;
                self.layer = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
            }
            Meaning::NeedsLayers => self.needs = Some(annotation),
            Meaning::ReadinessSuccess | Meaning::ReadinessFailure => {
                let expressions = annotation_list(&annotation.value).map_err(bad_list)?;
                for expression in &expressions {
                    Expression::parse(expression).map_err(|cause| {
                        Box::new(PlanError::BadExpression {
                            object: member.id.clone(),
                            place: place(member, annotation),
                            annotation: annotation.spelling,
                            cause,
                        })
                    })?;
                }
                match meaning {
                    Meaning::ReadinessSuccess => self.success = expressions,
                    _ => self.failure = expressions,
                }
            }
            Meaning::ReadinessTimeout => {
                let span = span::parse(text()?.trim()).filter(|span| !span.is_zero());
                self.readiness_timeout = Some(span.ok_or_else(|| bad("a duration such as 90s"))?);
            }
            Meaning::Wait => match text()?.trim() {
                "true" => {}
                "false" => self.unawaited = true,
                _ => return Err(bad("\"true\" or \"false\"")),
            },
            Meaning::DeletionRank => {
                let rank = text()?.trim().parse().map_err(|_| bad("an integer"))?;
                self.rank = Some(Rank(rank));
            }
            Meaning::DeletionDelay => {
                let delay = text()?;
                span::parse(delay.trim()).ok_or_else(|| bad("a duration such as 24h, not negative"))?;
                self.delay = Some(delay.trim().to_owned());
            }
            Meaning::DeletionStamp => {
                return Err(Box::new(PlanError::UserStamp {
                    object: member.id.clone(),
                    place: place(member, annotation),
                    annotation: annotation.spelling,
                }));
            }
            Meaning::ResourcePolicy => self.keep = text()?.trim().eq_ignore_ascii_case("keep"),
        }
        Ok(())
    }
}

/// Where an annotation of an object is written.
pub(crate) fn place(member: &Member, annotation: &Annotation) -> Place {
    Place { template: member.place.template.clone(), line: annotation.line }
}

/// Whether two spellings say the same: lists as sets, everything else as text.
fn same(first: &Annotation, second: &Annotation) -> bool {
    if first.spelling.meaning() == Meaning::NeedsLayers {
        let set = |annotation: &Annotation| {
            let mut names = std::collections::BTreeSet::new();
            list::names(&annotation.value, &mut |name: &str| {
                names.insert(name.to_owned());
            })
            .map(|()| names)
        };
        return matches!((set(first), set(second)), (Ok(first), Ok(second)) if first == second);
    }
    match (list::scalar(&first.value), list::scalar(&second.value)) {
        (Ok(first), Ok(second)) => first.trim() == second.trim(),
        _ => false,
    }
}

fn shown(value: &Value) -> String {
    list::scalar(value)
        .map_or_else(|_| goyaml::json::to_string(value).unwrap_or_default(), std::borrow::Cow::into_owned)
}
