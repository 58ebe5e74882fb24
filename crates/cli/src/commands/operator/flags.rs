//! The flags of the operator, and what they mean.

use std::net::SocketAddr;

use clap::{Args, ValueEnum};
use extension::Scope;
use operator::logs::Form;
use operator::webhook::{Reach, WebhookOptions};
use operator::{AfterDeletion, Election, Features, Options, Settings};

use crate::report::Failure;

/// Where probes and measurements are answered if nobody says otherwise.
const LISTEN: &str = "127.0.0.1:8080";

#[derive(Args, Debug)]
pub(super) struct Flags {
    /// Features to turn on or off: DeclarativeDelete=true
    #[arg(long, value_name = "NAME=BOOL,...", default_value = "", hide_default_value = true)]
    feature_gates: String,

    /// Look after objects in these namespaces only
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    watch_namespaces: Vec<String>,

    /// Look after objects with these labels only
    #[arg(long, value_name = "SELECTOR")]
    watch_selector: Option<String>,

    /// Run without a Lease: this is the only process
    #[arg(long)]
    no_leader_election: bool,

    /// Name of the Lease; operators with other namespaces or labels need another
    #[arg(long, value_name = "NAME", default_value = "slipway-operator")]
    lease_name: String,

    /// Under which name this process holds the Lease [default: the host's and the process's]
    #[arg(long, value_name = "NAME", env = "POD_NAME", hide_env = true)]
    identity: Option<String>,

    /// Address for /healthz, /readyz and /metrics; '' for none [default: 127.0.0.1:8080, none with --embedded]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,

    /// Address for the webhook that notes who changed an object
    #[arg(long, value_name = "ADDRESS")]
    webhook_listen: Option<SocketAddr>,

    /// Service by which the webhook is reached
    #[arg(long, value_name = "NAME", default_value = "slipway-webhook")]
    webhook_service: String,

    /// Host by which the webhook is reached, instead of a Service: for an operator outside of its cluster
    #[arg(long, value_name = "HOST")]
    webhook_host: Option<String>,

    /// Name of the Secret and of the configuration of the webhook
    #[arg(long, value_name = "NAME", default_value = "slipway-webhook")]
    webhook_name: String,

    /// Install or upgrade the definitions of the kinds first; always with --embedded
    #[arg(long)]
    install_crds: bool,

    /// Install or upgrade the admission policies first; always with --embedded
    #[arg(long)]
    install_policies: bool,

    /// What becomes of an object that is not deleted when what it stands for is gone
    #[arg(long, value_enum, value_name = "WHAT", default_value = "Delete", ignore_case = true)]
    after_deletion: After,

    /// Sweep the trash of releases as this ServiceAccount of their namespaces; without, it is left to 'slipway trash sweep'
    #[arg(long, value_name = "NAME")]
    sweep_as: Option<String>,

    /// How many objects of a kind are worked on at once
    #[arg(long, value_name = "COUNT")]
    concurrency: Option<usize>,

    /// Form of the logs on standard error
    #[arg(long, value_enum, value_name = "FORM", default_value = "text")]
    log_format: LogForm,

    /// Least level that is logged: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log_level: String,

    /// Collector that is told of operations and their steps, by OTLP over HTTP: http://collector:4318/v1/traces
    #[cfg(feature = "traces")]
    #[arg(long, value_name = "URL", env = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", hide_env_values = true)]
    traces_endpoint: Option<String>,
}

/// What becomes of objects whose backing is gone.
#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "PascalCase")]
enum After {
    /// It is deleted
    Delete,
    /// It stays
    Retain,
}

/// The form of logs.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum LogForm {
    /// Lines for people
    Text,
    /// One JSON object in each line
    Json,
}

impl From<LogForm> for Form {
    fn from(form: LogForm) -> Self {
        match form {
            LogForm::Text => Self::Text,
            LogForm::Json => Self::Json,
        }
    }
}

impl Flags {
    /// Begins to write logs, and to trace where that is asked for.
    pub(super) fn begin_logs(&self) -> Result<Tracing, Failure> {
        #[cfg(feature = "traces")]
        if let Some(endpoint) = &self.traces_endpoint {
            // Somebody else in this process may have chosen the same.
            let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
            let traces = operator::traces::begin(self.log_format.into(), &self.log_level, endpoint);
            let traces = traces.map_err(|error| Failure::usage(format!("--traces-endpoint: {error}")))?;
            return Ok(Tracing { traces: Some(traces) });
        }
        operator::logs::begin(self.log_format.into(), &self.log_level)
            .map_err(|error| Failure::usage(format!("--log-level: {error}")))?;
        Ok(Tracing::default())
    }

    /// For a cluster that others run.
    pub(super) fn options(&self, namespace: &str) -> Result<Options, Failure> {
        let election = Election {
            namespace: namespace.to_owned(),
            name: self.lease_name.clone(),
            identity: self.identity.clone().unwrap_or_else(identity),
        };
        let webhook = self.webhook_listen.map(|listen| WebhookOptions {
            listen,
            namespace: namespace.to_owned(),
            secret: self.webhook_name.clone(),
            configuration: self.webhook_name.clone(),
            reach: match &self.webhook_host {
                Some(host) => Reach::Host(host.clone()),
                None => {
                    Reach::Service { namespace: namespace.to_owned(), name: self.webhook_service.clone() }
                }
            },
            namespaces: self.watch_namespaces.clone(),
        });
        Ok(Options {
            election: (!self.no_leader_election).then_some(election),
            listen: address(self.listen.as_deref().unwrap_or(LISTEN))?,
            webhook,
            install_definitions: self.install_crds,
            install_policies: self.install_policies,
            ..self.work()?
        })
    }

    /// For the embedded cluster, which this process is alone with.
    pub(super) fn embedded(&self, namespace: &str) -> Result<Options, Failure> {
        Ok(Options {
            listen: address(self.listen.as_deref().unwrap_or_default())?,
            webhook: Some(WebhookOptions {
                listen: self.webhook_listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0))),
                namespace: namespace.to_owned(),
                secret: self.webhook_name.clone(),
                configuration: self.webhook_name.clone(),
                reach: Reach::Host("127.0.0.1".to_owned()),
                namespaces: self.watch_namespaces.clone(),
            }),
            install_definitions: true,
            install_policies: true,
            ..self.work()?
        })
    }

    fn work(&self) -> Result<Options, Failure> {
        let features: Features = self
            .feature_gates
            .parse()
            .map_err(|error| Failure::usage(format!("--feature-gates: {error}")))?;
        Ok(Options {
            settings: Settings {
                features,
                after_deletion: match self.after_deletion {
                    After::Delete => AfterDeletion::Delete,
                    After::Retain => AfterDeletion::Retain,
                },
                sweep_as: self.sweep_as.clone(),
                concurrency: self.concurrency,
            },
            scope: Scope { namespaces: self.watch_namespaces.clone(), labels: self.watch_selector.clone() },
            ..Options::default()
        })
    }
}

/// What is traced, if anything.
#[derive(Default)]
pub(super) struct Tracing {
    #[cfg(feature = "traces")]
    traces: Option<operator::traces::Traces>,
}

impl Tracing {
    /// Does something, and tells of it until all of it is told.
    pub(super) async fn during<Made>(self, acting: impl Future<Output = Made>) -> Made {
        #[cfg(feature = "traces")]
        if let Some(traces) = self.traces {
            let stop = extension::CancellationToken::new();
            let sending = tokio::spawn(traces.send(stop.clone()));
            let made = acting.await;
            stop.cancel();
            // What cannot be told is lost.
            let _ = sending.await;
            return made;
        }
        acting.await
    }
}

fn address(text: &str) -> Result<Option<SocketAddr>, Failure> {
    if text.is_empty() {
        return Ok(None);
    }
    let read = text.parse().map_err(|_| {
        Failure::usage(format!("--listen {text:?} is no address"))
            .hint("an address is 127.0.0.1:8080 or [::]:8080")
    })?;
    Ok(Some(read))
}

/// The host and the process: no two are the same, and people can find both.
fn identity() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "slipway" } else { host.trim() };
    format!("{host}_{}", std::process::id())
}
