//! The orders in which two texts are near, as bits.

/// As given, and the other way round.
pub(crate) type Orders = u8;
pub(crate) const AS_GIVEN: Orders = 1;
pub(crate) const REVERSED: Orders = 2;
pub(crate) const BOTH_ORDERS: Orders = AS_GIVEN | REVERSED;
