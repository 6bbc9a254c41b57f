//! A macro for enums whose variants have names.

/// Defines an enum whose variants have names, the array of all variants, and the conversions from
/// and to names. The last line of the definition names the error for an unknown name.
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        pub enum $type:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $name:literal,)*
        }

        $(#[$error_meta:meta])*
        $error:ident = $message:literal
    ) => {
        $(#[$meta])*
        pub enum $type {
            $($(#[$variant_meta])* $variant,)*
        }

        impl $type {
            /// All values, in the order of their definition.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $error;

            fn from_str(name: &str) -> Result<Self, $error> {
                let found = Self::ALL.into_iter().find(|one| one.name() == name);
                found.ok_or_else(|| $error(name.into()))
            }
        }

        $(#[$error_meta])*
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[error($message, names = $type::ALL.map($type::name).join(", "))]
        pub struct $error(String);
    };
}
pub use named_enum;
