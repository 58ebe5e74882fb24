//! Logging in to and out of registries.

use reqwest::{Method, StatusCode};

use super::credentials::{CredentialError, CredentialFile, server_address};
use super::reference::{host, is_registry};
use super::transport::{Grant, Request};
use super::{OciError, Registry};
use crate::remote::notice::{Notify, Warning};
use crate::remote::url::quote;

impl Registry {
    /// Shows the credentials of the options to a registry and, if it accepts them, keeps them in Helm's file.
    pub async fn login(&self, registry: &str, notify: &mut dyn Notify) -> Result<(), OciError> {
        if let Some((suggested, _)) = registry.split_once('/') {
            let message = "registry login currently only supports registry hostname, not a repository path";
            notify.warn(Warning::new(message).with("host", registry).with("suggested", suggested));
        }
        if !is_registry(registry) {
            let reason = format!("invalid registry {}", quote(registry));
            return Err(OciError::Reference { reason });
        }
        // Some registries give tokens only for a password in a form; most know nothing of that.
        if self.ping(registry, Grant::OAuth2).await.is_err() {
            self.ping(registry, Grant::Distribution)
                .await
                .map_err(|error| OciError::Login { host: registry.to_owned(), source: Box::new(error) })?;
        }
        let auth = &self.options.auth;
        let mut file = CredentialFile::load(&self.options.config)?;
        file.put(server_address(registry), &auth.username, &auth.password).await?;
        notify.say("Login Succeeded\n");
        Ok(())
    }

    /// Forgets the credentials for a registry.
    pub async fn logout(&self, registry: &str, notify: &mut dyn Notify) -> Result<(), OciError> {
        let server = server_address(registry);
        let mut file = CredentialFile::load(&self.options.config)?;
        file.delete(server).await.map_err(|error| CredentialError::Delete {
            server: server.to_owned(),
            source: Box::new(error),
        })?;
        notify.say(&format!("Removing login credentials for {registry}\n"));
        Ok(())
    }

    async fn ping(&self, registry: &str, grant: Grant) -> Result<(), OciError> {
        let url = format!("{}://{}/v2/", self.scheme(), host(registry));
        let request = Request::new(Method::GET, url, String::new());
        let response = self.send_by(&request, grant).await?;
        match response.status() {
            StatusCode::OK => Ok(()),
            StatusCode::NOT_FOUND => Err(OciError::Unfit { reason: "not found".to_owned() }),
            _ => Err(self.refusal(&request, response).await),
        }
    }
}
