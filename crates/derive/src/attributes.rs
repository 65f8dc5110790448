//! `#[message(…)]`, as it is written on a type, a variant or a field.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, LitInt, LitStr, Path, Result, parse_quote};

/// Of the type itself.
#[derive(Default)]
pub(crate) struct OfType {
    pub(crate) tags: Option<LitInt>,
    pub(crate) bits: Option<Path>,
    pub(crate) kind: Option<Path>,
    model: Option<Path>,
}

/// Of a variant, or of a struct, which is a type of one variant.
#[derive(Default)]
pub(crate) struct OfVariant {
    pub(crate) name: Option<LitStr>,
    pub(crate) part: Option<PartSpec>,
}

/// The part of a run that a kind belongs to, if it is not work.
#[derive(Clone, Copy)]
pub(crate) enum PartSpec {
    Announcement,
    Task,
}

/// Of a field.
#[derive(Default)]
pub(crate) struct OfField {
    pub(crate) name: Option<LitStr>,
    pub(crate) round: bool,
    pub(crate) phase: bool,
    pub(crate) optional: bool,
}

impl OfType {
    /// The path of `ringleader_model`.
    pub(crate) fn model(&self) -> Path {
        self.model.clone().unwrap_or_else(|| parse_quote!(::ringleader_model))
    }

    /// Takes an attribute that belongs to the type; false if it does not.
    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        if meta.path.is_ident("tags") {
            self.tags = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("bits") {
            self.bits = Some(path(meta)?);
        } else if meta.path.is_ident("kind") {
            self.kind = Some(path(meta)?);
        } else if meta.path.is_ident("crate") {
            self.model = Some(path(meta)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }
}

impl OfVariant {
    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        if meta.path.is_ident("name") {
            self.name = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("announcement") {
            self.part = Some(PartSpec::Announcement);
        } else if meta.path.is_ident("task") {
            self.part = Some(PartSpec::Task);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    pub(crate) fn of_enum_variant(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        each(attributes, |meta| found.take(meta))?;
        Ok(found)
    }
}

impl OfField {
    fn take(&mut self, meta: &ParseNestedMeta<'_>) -> Result<bool> {
        if meta.path.is_ident("name") {
            self.name = Some(meta.value()?.parse()?);
        } else if meta.path.is_ident("round") {
            self.round = true;
        } else if meta.path.is_ident("phase") {
            self.phase = true;
        } else if meta.path.is_ident("optional") {
            self.optional = true;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    pub(crate) fn new(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        each(attributes, |meta| found.take(meta))?;
        Ok(found)
    }
}

/// The attributes of an enum.
pub(crate) fn of_enum(attributes: &[Attribute]) -> Result<OfType> {
    let mut found = OfType::default();
    each(attributes, |meta| found.take(meta))?;
    Ok(found)
}

/// The attributes of a struct, which has those of its only kind besides.
pub(crate) fn of_struct(attributes: &[Attribute]) -> Result<(OfType, OfVariant)> {
    let (mut of_type, mut of_variant) = (OfType::default(), OfVariant::default());
    each(attributes, |meta| Ok(of_type.take(meta)? || of_variant.take(meta)?))?;
    Ok((of_type, of_variant))
}

fn each(attributes: &[Attribute], mut take: impl FnMut(&ParseNestedMeta<'_>) -> Result<bool>) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("message")) {
        attribute.parse_nested_meta(|meta| {
            if take(&meta)? { Ok(()) } else { Err(meta.error("there is no such attribute of a message here")) }
        })?;
    }
    Ok(())
}

fn path(meta: &ParseNestedMeta<'_>) -> Result<Path> {
    meta.value()?.parse::<LitStr>()?.parse()
}
