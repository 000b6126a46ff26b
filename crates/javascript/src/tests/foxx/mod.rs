//! Services: routers, requests, replies, contexts, files and the description of the API.

mod actions;
mod context;
mod description;
mod errors;
mod files;
mod host;
mod modules;
mod related;
mod requests;
mod responses;
mod routers;
mod validation;
