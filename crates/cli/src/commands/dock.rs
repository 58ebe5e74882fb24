//! `slipway dock`: the embedded cluster.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};
use dock::http::user::User;
use dock::store::{Disk, OpenError, Store};
use dock::{Dock, Serving};

use crate::context::Context;
use crate::network::{interrupted, wait_on_all_processors};
use crate::report::Failure;
use crate::settings::data;

/// Serve the embedded cluster to kubectl, Helm and other clients
#[derive(Args, Debug)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Serve the embedded cluster on a loopback port until interrupted
    ///
    /// It is a Kubernetes API server in this process, with simulated nodes and controllers. Its objects are in a file
    /// below the user's data directory ('SLIPWAY_DATA' names another), so they are there again the next time.
    #[command(after_help = "\
Examples:
  # Serve, and use it from another terminal
  slipway dock serve --write-kubeconfig dock.yaml
  kubectl --kubeconfig dock.yaml get namespaces

  # One that forgets everything when it ends, on a port of its own choice
  slipway dock serve --memory")]
    Serve(Serve),
}

#[derive(Args, Debug)]
pub(crate) struct Serve {
    /// Keep the objects in this directory
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    data: Option<PathBuf>,

    /// Keep the objects in memory only
    #[arg(long)]
    memory: bool,

    /// Port to serve on; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Serve without TLS; kubectl and Helm then send no token and are not let in
    #[arg(long)]
    plain_http: bool,

    /// Write a kubeconfig for clients to this file
    #[arg(long, value_name = "FILE")]
    write_kubeconfig: Option<PathBuf>,
}

pub(crate) fn run(arguments: Arguments, context: &mut Context) -> Result<(), Failure> {
    match arguments.action {
        Action::Serve(serve) => wait_on_all_processors(serve.run(context))?,
    }
}

/// The embedded cluster, being served.
pub(crate) struct Served {
    pub(crate) serving: Serving,
    pub(crate) token: String,
    /// For the commands of this user that find the file held.
    _beside: Option<Serving>,
}

impl Serve {
    /// Serves the cluster of a directory on a free port.
    pub(crate) fn of(directory: PathBuf, write_kubeconfig: Option<PathBuf>) -> Self {
        Self { data: Some(directory), memory: false, port: 0, plain_http: false, write_kubeconfig }
    }

    async fn run(self, context: &mut Context) -> Result<(), Failure> {
        let served = self.start().await?;
        self.announce(&served, context)?;
        Ok(interrupted().await?)
    }

    /// Begins to serve. It ends when what is returned is dropped.
    pub(crate) async fn start(&self) -> Result<Served, Failure> {
        let token = Dock::random_token();
        let dock = Dock::builder().store(self.store()?).token(&token, User::admin()).start().await;
        let serving =
            if self.plain_http { dock.serve(self.port).await } else { dock.serve_tls(self.port).await };
        let serving = serving.map_err(|error| {
            let failure = Failure::new(format!("port {}: {error}", self.port));
            if self.port == 0 { failure } else { failure.hint("--port 0 takes a free one") }
        })?;
        let beside = self.let_in_commands(&dock, &serving, &token).await?;
        Ok(Served { serving, token, _beside: beside })
    }

    /// Lets the commands of this user in that find the file held: they ask without TLS.
    async fn let_in_commands(
        &self,
        dock: &Dock,
        serving: &Serving,
        token: &str,
    ) -> Result<Option<Serving>, Failure> {
        if self.memory {
            return Ok(None);
        }
        let failed = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
        let plain =
            if self.plain_http { None } else { Some(dock.serve(0).await.map_err(|error| failed(&error))?) };
        let address = plain.as_ref().unwrap_or(serving).url();
        dock::embedded::announce(&self.directory(), &address, token).map_err(|error| failed(&error))?;
        Ok(plain)
    }

    fn directory(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(data::directory)
    }

    fn store(&self) -> Result<Store, Failure> {
        if self.memory {
            return Ok(Store::memory());
        }
        let directory = self.directory();
        let file = directory.join("dock.redb");
        let elsewhere = "--data names another directory, --memory needs none";
        std::fs::create_dir_all(&directory)
            .map_err(|error| Failure::new(format!("{}: {error}", directory.display())).hint(elsewhere))?;
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", file.display()));
        let (disk, saved) = Disk::open(&file).map_err(|error| match error {
            OpenError::InUse => failed(&error).hint(format!("another 'slipway' is serving it; {elsewhere}")),
            _ => failed(&error).hint(elsewhere),
        })?;
        Ok(Store::with_journal(Arc::new(disk), saved))
    }

    /// Says how it is reached.
    pub(crate) fn announce(&self, served: &Served, context: &mut Context) -> Result<(), Failure> {
        let serving = &served.serving;
        let kubeconfig = serving.kubeconfig(Some(&served.token));
        match &self.write_kubeconfig {
            Some(file) => {
                dock::embedded::private_write(file, &kubeconfig)
                    .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
                writeln!(context.out, "Serving on {}\nKubeconfig: {}", serving.url(), file.display())?;
            }
            None => writeln!(context.out, "Serving on {}\n---\n{kubeconfig}", serving.url())?,
        }
        Ok(context.out.flush()?)
    }
}
