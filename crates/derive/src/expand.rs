//! The implementations that are written.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Ident, LitInt, Path, Result, parse_quote};

use crate::attributes::{self, OfField, OfType, OfVariant, PartSpec};

/// A kind of message, as it is declared.
struct Variant {
    /// Its pattern: `Self::Name`, or `Self`.
    path: Path,
    name: String,
    part: Option<PartSpec>,
    fields: Vec<FieldSpec>,
}

struct FieldSpec {
    /// Its pattern: its name, or its index.
    member: syn::Member,
    /// The variable that it is bound to.
    bound: Ident,
    /// Its name in `Display`; empty where its value says enough.
    label: String,
    attributes: OfField,
}

pub(crate) fn message(input: &DeriveInput) -> Result<TokenStream> {
    let (of_type, variants) = read(input)?;
    let (name, (generics, arguments, bounds)) = (&input.ident, input.generics.split_for_impl());
    let model = of_type.model();
    let (items, display) = (message_items(&model, &of_type, &variants), display_impl(input, &model, &variants));
    Ok(quote! {
        #[automatically_derived]
        impl #generics #model::Message for #name #arguments #bounds {
            #items
        }

        #display
    })
}

pub(crate) fn display(input: &DeriveInput) -> Result<TokenStream> {
    let (of_type, variants) = read(input)?;
    Ok(display_impl(input, &of_type.model(), &variants))
}

/// The attributes of a type, and its variants: one, if it is a struct.
fn read(input: &DeriveInput) -> Result<(OfType, Vec<Variant>)> {
    match &input.data {
        Data::Enum(data) => {
            let read = |variant: &syn::Variant| {
                let name = &variant.ident;
                let of_variant = OfVariant::of_enum_variant(&variant.attrs)?;
                Variant::new(parse_quote!(Self::#name), name, of_variant, &variant.fields)
            };
            Ok((attributes::of_enum(&input.attrs)?, data.variants.iter().map(read).collect::<Result<_>>()?))
        }
        Data::Struct(data) => {
            let (of_type, of_variant) = attributes::of_struct(&input.attrs)?;
            let only = Variant::new(parse_quote!(Self), &input.ident, of_variant, &data.fields)?;
            Ok((of_type, vec![only]))
        }
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "it must be a struct or an enum")),
    }
}

impl Variant {
    fn new(path: Path, ident: &Ident, of_variant: OfVariant, fields: &Fields) -> Result<Self> {
        let name = of_variant.name.map_or_else(|| kebab_case(&ident.to_string()), |name| name.value());
        let fields =
            fields.iter().enumerate().map(|(index, field)| FieldSpec::new(index, field)).collect::<Result<_>>()?;
        Ok(Self { path, name, part: of_variant.part, fields })
    }

    /// The pattern that binds those of its fields that are wanted.
    fn pattern(&self, wanted: impl Fn(&FieldSpec) -> bool) -> TokenStream {
        let path = &self.path;
        let fields = self.fields.iter().filter(|field| wanted(field)).map(|field| {
            let (member, bound) = (&field.member, &field.bound);
            quote!(#member: #bound,)
        });
        quote!(#path { #(#fields)* .. })
    }
}

impl FieldSpec {
    fn new(index: usize, field: &syn::Field) -> Result<Self> {
        let attributes = OfField::new(&field.attrs)?;
        let label = match (&attributes.name, &field.ident) {
            (Some(name), _) => name.value(),
            (None, Some(ident)) => ident.to_string().replace('_', " "),
            (None, None) => String::new(),
        };
        let member = field.ident.clone().map_or_else(|| index.into(), Into::into);
        Ok(Self { member, bound: format_ident!("field_{index}"), label, attributes })
    }
}

/// The items of `impl Message`.
fn message_items(model: &Path, of_type: &OfType, variants: &[Variant]) -> TokenStream {
    let mut kinds: Vec<&Variant> = Vec::new();
    let mut numbers = Vec::new();
    for variant in variants {
        let number = kinds.iter().position(|kind| kind.name == variant.name).unwrap_or(kinds.len());
        if number == kinds.len() {
            kinds.push(variant);
        }
        numbers.push(number);
    }
    let declared = kinds.iter().map(|kind| {
        let name = &kind.name;
        match kind.part {
            None => quote!(#model::Kind::work(#name)),
            Some(PartSpec::Announcement) => quote!(#model::Kind::announcement(#name)),
            Some(PartSpec::Task) => quote!(#model::Kind::task(#name)),
        }
    });
    let kind = match &of_type.kind {
        Some(path) => quote!(#path(self)),
        None => {
            let patterns = variants.iter().map(|variant| variant.pattern(|_| false));
            quote!(match self { #(#patterns => #numbers,)* })
        }
    };
    let bits = match &of_type.bits {
        Some(path) => quote!(#path(self)),
        None => bits(model, of_type.tags.as_ref(), variants),
    };
    let (rebase, phase, identity) = (rebase(variants), phase(variants), identity(model, variants));
    quote! {
        const KINDS: &'static [#model::Kind] = &[#(#declared),*];

        #[inline]
        fn kind(&self) -> usize {
            #kind
        }

        fn bits(&self) -> u64 {
            #bits
        }

        #rebase

        #phase

        fn identity(&self) -> ::core::option::Option<#model::Id> {
            #identity
        }
    }
}

/// The identity of the first field that has one.
fn identity(model: &Path, variants: &[Variant]) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let pattern = variant.pattern(|_| true);
        let fields = variant.fields.iter().map(|field| &field.bound);
        quote!(#pattern => ::core::option::Option::None #(.or_else(|| #model::Field::identity(#fields)))*,)
    });
    quote!(match self { #(#arms)* })
}

/// The tag, and each field.
fn bits(model: &Path, tags: Option<&LitInt>, variants: &[Variant]) -> TokenStream {
    let tags = tags.map_or_else(|| quote!(<Self as #model::Message>::KINDS.len()), |tags| quote!(#tags));
    let arms = variants.iter().map(|variant| {
        let pattern = variant.pattern(|_| true);
        let fields = variant.fields.iter().map(|field| {
            let bound = &field.bound;
            let bits = quote!(#model::Field::bits(#bound));
            if field.attributes.optional { quote!(if *#bound == 0 { 0 } else { #bits }) } else { bits }
        });
        quote!(#pattern => 0 #(+ #fields)*,)
    });
    quote!(#model::tag_bits(#tags) + match self { #(#arms)* })
}

/// The method `rebase`, if there are rounds.
fn rebase(variants: &[Variant]) -> TokenStream {
    let is_round = |field: &FieldSpec| field.attributes.round;
    if !variants.iter().any(|variant| variant.fields.iter().any(is_round)) {
        return TokenStream::new();
    }
    let arms = variants.iter().map(|variant| {
        let pattern = variant.pattern(is_round);
        let rounds = variant.fields.iter().filter(|field| is_round(field)).map(|field| &field.bound);
        quote!(#pattern => { #(*#rounds = #rounds.saturating_sub(by);)* })
    });
    quote! {
        fn rebase(&mut self, by: u32) {
            match self { #(#arms)* }
        }
    }
}

/// The method `phase`, if there are phase numbers.
fn phase(variants: &[Variant]) -> TokenStream {
    let is_phase = |field: &FieldSpec| field.attributes.phase;
    if !variants.iter().any(|variant| variant.fields.iter().any(is_phase)) {
        return TokenStream::new();
    }
    let arms = variants.iter().map(|variant| {
        let pattern = variant.pattern(is_phase);
        let value = match variant.fields.iter().find(|field| is_phase(field)) {
            Some(FieldSpec { bound, .. }) => quote!(Some(u32::from(*#bound))),
            None => quote!(None),
        };
        quote!(#pattern => #value,)
    });
    quote! {
        const PHASED: bool = true;

        fn phase(&self) -> Option<u32> {
            match self { #(#arms)* }
        }
    }
}

/// `Display`: the kind's name, then each field with its label.
fn display_impl(input: &DeriveInput, model: &Path, variants: &[Variant]) -> TokenStream {
    let arms = variants.iter().map(|variant| {
        let (pattern, name) = (variant.pattern(|_| true), &variant.name);
        let fields = variant.fields.iter().map(|field| {
            let (bound, label) = (&field.bound, &field.label);
            let show = quote!(#model::Field::show(#bound, #label, f)?;);
            if field.attributes.optional { quote!(if *#bound != 0 { #show }) } else { show }
        });
        quote!(#pattern => {
            f.write_str(#name)?;
            #(#fields)*
        })
    });
    let (name, (generics, arguments, bounds)) = (&input.ident, input.generics.split_for_impl());
    quote! {
        #[automatically_derived]
        impl #generics ::core::fmt::Display for #name #arguments #bounds {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self { #(#arms)* }
                Ok(())
            }
        }
    }
}

/// `WakeUp` is `wake-up`.
fn kebab_case(name: &str) -> String {
    let mut kebab = String::new();
    for (index, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            kebab.push('-');
        }
        kebab.extend(letter.to_lowercase());
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_in_kebab_case() {
        assert_eq!(
            ["Candidate", "WakeUp", "Ok", "NextTime"].map(kebab_case),
            ["candidate", "wake-up", "ok", "next-time"]
        );
    }

    #[test]
    fn types_that_are_no_messages_are_refused() {
        let refused = |input: DeriveInput| message(&input).expect_err("it is refused").to_string();
        assert_eq!(refused(parse_quote!(union Both { a: u32 })), "it must be a struct or an enum");
        let unknown = "there is no such attribute of a message here";
        assert_eq!(
            refused(parse_quote!(
                #[message(round)]
                struct Token;
            )),
            unknown
        );
        assert_eq!(
            refused(parse_quote!(
                enum Token {
                    #[message(bits = "zero")]
                    Token,
                }
            )),
            unknown
        );
        assert_eq!(
            refused(parse_quote!(
                struct Token {
                    #[message(task)]
                    id: u32,
                }
            )),
            unknown
        );
    }
}
