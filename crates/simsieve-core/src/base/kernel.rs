//! Chooses the kernel: the portable one, or one for this processor. All give the same bits.

use std::sync::OnceLock;

use crate::base::error::{Error, Result};

/// An implementation of the hot loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Plain Rust, on every machine.
    Portable,
    /// AVX2 with POPCNT: x86-64 since Haswell and Zen. Loops that gain nothing by it use the portable kernel.
    Avx2,
    /// AVX-512 (F, BW, DQ, VL, VBMI, VBMI2, VPOPCNTDQ, with BMI2): x86-64 servers since Ice Lake and Zen 4.
    Avx512,
    /// NEON: every 64-bit ARM. Loops that the compiler fills with its vectors, or that gain nothing by it, use the portable kernel.
    Neon,
}

/// The environment variable: `portable`, `avx2`, `avx512`, `neon`, or unset for the fastest kernel of this machine.
pub const VARIABLE: &str = "SIMSIEVE_KERNEL";

impl Kernel {
    /// Every kernel, the slowest first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Avx2, Self::Avx512, Self::Neon];

    /// The name in the environment variable.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vbmi")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("avx512vpopcntdq")
                    // A machine with a faster kernel has all slower ones.
                    && Self::Avx2.is_available()
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The kernels of this machine, the fastest last.
    pub fn available() -> Vec<Self> {
        Self::ALL.into_iter().filter(|kernel| kernel.is_available()).collect()
    }

    /// The kernel in use: the environment's choice if it is valid, else the fastest. Read once.
    pub fn active() -> Self {
        static ACTIVE: OnceLock<Kernel> = OnceLock::new();
        *ACTIVE.get_or_init(|| Self::chosen().unwrap_or(Self::Portable))
    }

    /// The kernel that the environment asks for, or the fastest of this machine.
    ///
    /// # Errors
    /// [`Error::Config`] where the environment names one that does not exist or that this machine cannot run.
    pub fn chosen() -> Result<Self> {
        let fastest = *Self::available().last().unwrap_or(&Self::Portable);
        match std::env::var(VARIABLE) {
            Err(_) => Ok(fastest),
            Ok(name) if name.is_empty() => Ok(fastest),
            Ok(name) => Self::available()
                .into_iter()
                .find(|kernel| kernel.name() == name)
                .ok_or_else(|| {
                    let names: Vec<_> = Self::available().iter().map(|kernel| kernel.name()).collect();
                    Error::Config(msg!(
                        "{variable}={name:?} is no kernel of this machine; it has {names}; unset it for the \
                         fastest",
                        variable = VARIABLE
                    ))
                }),
        }
    }
}
