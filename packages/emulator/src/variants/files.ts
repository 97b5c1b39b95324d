import type { VariantPoint } from './point.ts'

/** Variants of version 1 of the logs. */
export const fileVariants = {
  fileOrder: {
    text: 'Whether a v1 file obeys sort',
    values: ['sorted', 'unsorted'],
    reason: 'the parameter is documented; `unsorted` swaps some neighbouring lines',
    source: 'supplement',
    section: 'Logging v1',
  },
  fileEnd: {
    text: 'Whether the end index of v1 is exclusive',
    values: ['exclusive', 'inclusive'],
    reason: 'end - start is then the number of lines',
    source: 'unspecified',
    section: 'Logging v1',
  },
  filePastEnd: {
    text: 'Status of a v1 file whose start is past the last line',
    values: [204, 200],
    reason: 'both occur in third-party code',
    source: 'supplement',
    section: 'Logging v1',
  },
  fileDay: {
    text: 'A v1 day outside today and the days of the retention',
    values: ['refused', 'empty'],
    reason: 'v2 refuses a range that is too old; `refused` returns 400, `empty` 200 without lines',
    source: 'unspecified',
    section: 'Logging v1',
  },
  fileDateForm: {
    text: 'Status of a v1 path whose date has another form than MM-DD-YY',
    values: [403, 400],
    reason: 'a third-party client documents a 403',
    source: 'supplement',
    section: 'Logging v1',
  },
  fileStatusCodes: {
    text: 'Whole codes in the parameter status of v1',
    values: ['refused', 'class'],
    reason: 'the documentation lists only first digits, but some clients send 404 or 500; `class` uses the first digit',
    source: 'supplement',
    section: 'Logging v1',
  },
  fileShield: {
    text: 'Origin-shield rows in v1',
    values: ['left out', 'included'],
    reason: 'the logging OpenAPI leaves them out of v2 by default "to match v1"',
    source: 'supplement',
    section: 'Logging v1',
  },
  fileBlankLines: {
    text: 'Blank lines in a v1 file',
    values: ['none', 'some'],
    reason: 'only third-party code mentions them',
    source: 'supplement',
    section: 'Logging v1',
  },
  fileErrorBody: {
    text: 'Body of a v1 error',
    values: ['json', 'text'],
    reason: 'the spec states the same errors for both versions; `text` is one line with the code',
    source: 'unspecified',
    section: 'Logging v1',
  },
} as const satisfies Record<string, VariantPoint>
