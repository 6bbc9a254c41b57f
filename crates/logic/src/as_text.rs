//! Serde implementations for techniques: they are serialized as their names.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Technique;

impl Serialize for Technique {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Technique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| D::Error::custom(format!("unknown technique {name:?}")))
    }
}
