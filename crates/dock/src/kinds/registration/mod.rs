//! Kinds that register something with the server: webhooks, further APIs, requests for certificates.

pub(crate) mod api_service;
pub(crate) mod certificate_request;
pub(crate) mod webhook_client;
pub(crate) mod webhooks;
