//! What steps, places and causes are called in front of people.

use objects::ObjectId;

use crate::error::Link;
use crate::graph::Arc;
use crate::input::{NEEDS_SUBCHARTS, Need, Place, Sequencing, display_path};
use crate::output::{Barrier, Origin, StepKind};
use crate::{ChartIndex, LayerIndex, ObjectIndex};

/// Knows the names of things by their numbers.
pub(crate) struct Names<'a> {
    pub(crate) object: &'a dyn Fn(ObjectIndex) -> (&'a ObjectId, &'a Place),
    pub(crate) sequencing: &'a Sequencing,
}

impl Names<'_> {
    /// `shop/db`.
    pub(crate) fn chart(&self, chart: ChartIndex) -> String {
        self.sequencing.charts.get(chart.at()).map(|chart| display_path(&chart.path)).unwrap_or_default()
    }

    /// `layer database of shop`.
    pub(crate) fn layer(&self, layer: LayerIndex) -> String {
        let Some(stored) = self.sequencing.layers.get(layer.at()) else { return String::new() };
        match &stored.name {
            Some(name) => format!("layer {name} of {}", self.chart(stored.chart)),
            None => format!("a layer without a name of {}", self.chart(stored.chart)),
        }
    }

    /// What a step is about, so that steps of one thing have one name.
    pub(crate) fn subject(&self, kind: StepKind) -> String {
        if let Some(object) = kind.object() {
            return (self.object)(object).0.to_string();
        }
        match kind {
            StepKind::Barrier { at } => match at {
                Barrier::Definitions => "definitions in crds/".to_owned(),
                Barrier::Hooks(event) => format!("{event} hooks"),
                Barrier::Applied => "everything wanted".to_owned(),
                Barrier::Deleted => "everything unwanted".to_owned(),
                Barrier::ChartBegin(chart)
                | Barrier::ChartEnd(chart)
                | Barrier::ChartFree(chart)
                | Barrier::ChartGone(chart) => format!("chart {}", self.chart(chart)),
                Barrier::OwnBegin(chart)
                | Barrier::OwnEnd(chart)
                | Barrier::OwnFree(chart)
                | Barrier::OwnGone(chart) => format!("own objects of {}", self.chart(chart)),
                Barrier::LayerBegin(layer)
                | Barrier::LayerEnd(layer)
                | Barrier::LayerFree(layer)
                | Barrier::LayerGone(layer) => self.layer(layer),
                Barrier::RestBegin(chart) | Barrier::RestGone(chart) => {
                    format!("objects without a layer of {}", self.chart(chart))
                }
                Barrier::Kinds => "the next kinds".to_owned(),
            },
            StepKind::AwaitRank { rank, .. } | StepKind::StripFinalizers { up_to: rank } => {
                format!("rank {rank}")
            }
            StepKind::RunHook { event, .. } => format!("{event} hook"),
            _ => String::new(),
        }
    }

    /// Why an edge is there; who declares it, and where.
    pub(crate) fn origin(&self, origin: &Origin) -> (String, Option<ObjectId>, Option<Place>) {
        let chart_yaml = |chart: ChartIndex, line: u32| {
            let path = self.sequencing.charts.get(chart.at()).map(|chart| chart.path.as_str());
            Some(Place { template: format!("{}/Chart.yaml", path.unwrap_or_default()), line })
        };
        let plain = |text: &str| (text.to_owned(), None, None);
        match origin {
            Origin::Own => plain("steps of one object"),
            Origin::Member => plain("a part of it"),
            Origin::Definitions => plain("definitions in crds/ come first"),
            Origin::Hook => plain("hooks run at their own moment, by weight"),
            Origin::Kinds => plain("the order of kinds"),
            Origin::NewBeforeOld => plain("what is unwanted goes last"),
            Origin::Layer { by, annotation, line } => {
                let (id, place) = (self.object)(*by);
                let place = Place { template: place.template.clone(), line: *line };
                (annotation.key().to_owned(), Some(id.clone()), Some(place))
            }
            Origin::Parent { chart, line } => (NEEDS_SUBCHARTS.to_owned(), None, chart_yaml(*chart, *line)),
            Origin::Sibling { chart, line } => ("depends-on".to_owned(), None, chart_yaml(*chart, *line)),
            Origin::Unlayered { .. } => plain("objects without annotations come last and go first"),
            Origin::Namespace => plain("a namespace holds what is in it"),
            Origin::Definition => plain("a definition holds the objects of its kind"),
            Origin::OwnNamespace => plain("the release's own namespace goes last"),
            Origin::Backend => plain("the API server calls the backend"),
            Origin::Needs { need } => (format!("needed as its {}", need_name(*need)), None, None),
            Origin::Finalizer { finalizer } => {
                (format!("likely removes the finalizer {finalizer}"), None, None)
            }
            Origin::Rank { rank } => (format!("rank {rank} must be gone"), None, None),
            Origin::Terminating => plain("its predecessor must be gone"),
        }
    }

    /// The arrows of a path of steps, without those between steps of one thing.
    pub(crate) fn links(
        &self,
        path: &[u32],
        arcs: &[Arc],
        origins: &[Origin],
        kind: impl Fn(u32) -> StepKind,
    ) -> Vec<Link> {
        let mut links = Vec::new();
        for edge in path {
            let arc = arcs[*edge as usize];
            let (from, to) = (self.subject(kind(arc.from)), self.subject(kind(arc.to)));
            if from != to {
                let (why, object, place) = self.origin(&origins[arc.origin as usize]);
                links.push(Link { from, to, why, object, place });
            }
        }
        links
    }
}

/// What something is needed as.
pub(crate) fn need_name(need: Need) -> &'static str {
    match need {
        Need::Namespace => "namespace",
        Need::Definition => "definition",
        Need::ServiceAccount => "service account",
        Need::ConfigMap => "config map",
        Need::Secret => "secret",
        Need::PersistentVolumeClaim => "volume claim",
        Need::PriorityClass => "priority class",
        Need::StorageClass => "storage class",
        Need::Role => "role",
        Need::ClusterRole => "cluster role",
    }
}
