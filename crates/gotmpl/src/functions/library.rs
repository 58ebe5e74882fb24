//! The whole library: sprig, and what Helm adds to it that needs no engine.

use super::{Function, Functions};

/// The families. A later one replaces functions of an earlier one.
static FAMILIES: &[&[Function]] = &[
    super::strings::TABLE,
    super::cases::TABLE,
    super::numeric::TABLE,
    super::lists::TABLE,
    super::dicts::TABLE,
    super::merge::TABLE,
    super::defaults::TABLE,
    super::reflection::TABLE,
    super::encoding::TABLE,
    super::json::TABLE,
    super::yaml::TABLE,
    super::regex::TABLE,
    super::versions::TABLE,
    super::dates::TABLE,
    super::durations::TABLE,
    super::paths::TABLE,
    super::url::TABLE,
    super::network::TABLE,
    super::toml::TABLE,
    super::crypto::TABLE,
    super::random::TABLE,
];

impl Functions {
    /// Adds sprig's functions, without `env` and `expandenv`, and those of Helm's that need no engine.
    pub fn add_library(&mut self) {
        for family in FAMILIES {
            self.add(family);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Helm's templates can call beyond text/template's own functions and those of the engine.
    const NAMES: &str = "
        abbrev abbrevboth add add1 add1f addf adler32sum ago all any append atoi b32dec b32enc b64dec
        b64enc base bcrypt biggest buildCustomCert camelcase cat ceil chunk clean coalesce compact concat
        contains date dateInZone dateModify date_in_zone date_modify decryptAES deepCopy deepEqual default
        derivePassword dict dig dir div divf duration durationDays durationHours durationMicroseconds
        durationMilliseconds durationMinutes durationNanoseconds durationRound durationRoundTo
        durationSeconds durationTruncateTo durationWeeks empty encryptAES ext first float64 floor fromJson
        fromJsonArray fromToml fromYaml fromYamlArray genCA genCAWithKey genPrivateKey genSelfSignedCert
        genSelfSignedCertWithKey genSignedCert genSignedCertWithKey get getHostByName has hasKey hasPrefix
        hasSuffix hello htmlDate htmlDateInZone htpasswd indent initial initials int int64 isAbs join
        kebabcase keys kindIs kindOf last list lower max maxf merge mergeOverwrite min minf mod mul mulf
        mustAppend mustChunk mustCompact mustDateModify mustDeepCopy mustFirst mustFromJson mustHas
        mustInitial mustLast mustMerge mustMergeOverwrite mustPrepend mustPush mustRegexFind
        mustRegexFindAll mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit
        mustRest mustReverse mustSlice mustToDate mustToDuration mustToJson mustToPrettyJson mustToRawJson
        mustToToml mustToYaml mustUniq mustWithout must_date_modify nindent nospace now omit osBase
        osClean osDir osExt osIsAbs pick pluck plural prepend push quote randAlpha randAlphaNum randAscii
        randBytes randInt randNumeric regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll
        regexReplaceAllLiteral regexSplit repeat replace rest reverse round semver semverCompare seq set
        sha1sum sha256sum sha512sum shuffle slice snakecase sortAlpha split splitList splitn squote sub
        subf substr swapcase ternary title toDate toDecimal toJson toPrettyJson toRawJson toString
        toStrings toToml toYaml toYamlPretty trim trimAll trimPrefix trimSuffix trimall trunc tuple typeIs
        typeIsLike typeOf uniq unixEpoch unset until untilStep untitle upper urlJoin urlParse uuidv4
        values without wrap wrapWith
    ";

    #[test]
    fn nothing_is_missing_and_nothing_is_extra() {
        let mut expected: Vec<&str> = NAMES.split_whitespace().collect();
        let mut names: Vec<&str> =
            FAMILIES.iter().flat_map(|family| family.iter().map(|function| function.name)).collect();
        expected.sort_unstable();
        names.sort_unstable();
        assert_eq!(names, expected);
    }
}
