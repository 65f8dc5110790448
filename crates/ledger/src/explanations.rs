//! Why claims fail, in words: a paragraph for each refuted item, which no measurement changes.

/// A heading for each item, and the paragraph below it; in the order of the ledger.
const TEXTS: [&str; 4] = [
    include_str!("explanations/vitanyi.md"),
    include_str!("explanations/epema.md"),
    include_str!("explanations/spirakis_tampakas.md"),
    include_str!("explanations/van_leeuwen_tan.md"),
];

/// The items of the texts with their paragraphs, in one line each.
fn paragraphs() -> impl Iterator<Item = (&'static str, String)> {
    TEXTS.into_iter().flat_map(|text| text.split("\n## ").skip(1)).filter_map(|section| {
        let (number, paragraph) = section.split_once('\n')?;
        Some((number.trim(), paragraph.split_whitespace().collect::<Vec<_>>().join(" ")))
    })
}

/// Why the claim of this item fails; `None` if nothing is written of it.
pub(crate) fn of(number: &str) -> Option<String> {
    paragraphs().find(|(known, _)| *known == number).map(|(_, paragraph)| paragraph)
}

#[cfg(test)]
mod tests {
    use crate::*;

    /// Who writes about a claim that is not refuted, or not about one that is, notices it here.
    #[test]
    fn refuted_claims_are_explained_and_no_others() {
        let refuted = records(RECORD).expect("`cargo xtask ledger` wrote it").into_iter();
        let refuted = refuted.map(|record| record.thorough).filter(|entry| entry.verdict == LedgerVerdict::Refuted);
        let refuted: Vec<String> = refuted.map(|entry| entry.item).collect();
        assert_eq!(explanations::paragraphs().map(|(number, _)| number).collect::<Vec<_>>(), refuted);
        assert!(explanations::paragraphs().all(|(_, paragraph)| !paragraph.is_empty()));
    }
}
