//! The messages of TiKV's and PD's protocol that this crate sends and reads.
//!
//! Field numbers are those of the project's public definitions (`kvproto`). Unused fields are
//! omitted; the decoder skips them.

pub(crate) mod garbage;
pub(crate) mod kv;
pub(crate) mod pd;
pub(crate) mod region;

use prost::Message;

/// A message to a leader of a region, and its reply.
pub(crate) trait RegionRequest: Message + Clone + Default + 'static {
    /// The path of the method.
    const METHOD: &'static str;
    /// The reply.
    type Reply: RegionReply;

    /// Addresses the message to a region.
    fn set_context(&mut self, context: kv::Context);
}

/// A reply of a region's leader.
pub(crate) trait RegionReply: Message + Default + 'static {
    /// Takes the error that says that the message went to the wrong place.
    fn take_region_error(&mut self) -> Option<region::Error>;
}

/// A message to PD.
pub(crate) trait PdRequest: Message + Default + 'static {
    /// The path of the method.
    const METHOD: &'static str;
    /// The reply.
    type Reply: PdReply;

    /// Names the cluster for which the message is.
    fn set_header(&mut self, header: pd::RequestHeader);
}

/// A reply of PD.
pub(crate) trait PdReply: Message + Default + 'static {
    /// Returns the header.
    fn header(&self) -> Option<&pd::ResponseHeader>;
}

/// Declares the method of requests to regions.
macro_rules! region_requests {
    ($($request:ident => $reply:ident, $method:literal;)*) => {
        $(
            impl crate::protocol::RegionRequest for $request {
                const METHOD: &'static str = concat!("/tikvpb.Tikv/", $method);
                type Reply = $reply;

                fn set_context(&mut self, context: Context) {
                    self.context = Some(context);
                }
            }

            impl crate::protocol::RegionReply for $reply {
                fn take_region_error(&mut self) -> Option<super::region::Error> {
                    self.region_error.take()
                }
            }
        )*
    };
}
pub(crate) use region_requests;

/// Declares the method of requests to PD.
macro_rules! pd_requests {
    ($($request:ident => $reply:ident, $method:literal;)*) => {
        $(
            impl crate::protocol::PdRequest for $request {
                const METHOD: &'static str = concat!("/pdpb.PD/", $method);
                type Reply = $reply;

                fn set_header(&mut self, header: RequestHeader) {
                    self.header = Some(header);
                }
            }

            impl crate::protocol::PdReply for $reply {
                fn header(&self) -> Option<&ResponseHeader> {
                    self.header.as_ref()
                }
            }
        )*
    };
}
pub(crate) use pd_requests;
