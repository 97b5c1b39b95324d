import type { LogFileRow, MalformedLine } from '@cdn/api'
import { contracts, type LineField } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { masked } from '../../output/mask.ts'

export type DayFileLine = LogFileRow | MalformedLine

const [separator, absent] = ['|', '-']

/** The fields of a line, in the order of the contract (`x-line`). */
const fields: readonly LineField[] = defined(
  contracts.logging.operations.flatMap(({ responses }) => responses).find(({ line }) => line)?.line,
)
const plainFields = fields.filter(({ extended }) => !extended)

/**
 * Formats rows of version 1 as the original lines.
 *
 * @param showsCredentials whether to show the visitor's credential of extended logging. Otherwise the credential is hidden. An
 *   unparseable line may contain it anywhere after the plain fields, so the rest of such a line is hidden
 * @returns a function that returns the line without its line end
 */
export function createLineFormat(showsCredentials: boolean): (line: DayFileLine) => string {
  return (line) => {
    if (line.malformed) {
      const parts = line.text.split(separator)
      const isSafe = showsCredentials || parts.length <= plainFields.length
      return isSafe ? line.text : [...parts.slice(0, plainFields.length), masked].join(separator)
    }
    const row: Readonly<Record<string, unknown>> = { ...line }
    const written = 'bodyBytesSent' in row ? fields : plainFields
    return written
      .map(({ name }) => {
        const value = row[name]
        if (value === null) return absent
        return name === 'authorizationHeader' && !showsCredentials ? masked : String(value)
      })
      .join(separator)
  }
}

/** @returns the time of a formatted line, in milliseconds; NaN if it is unparseable */
export function lineTime(line: string): number {
  const parts = line.split(separator, 3)
  const time = parts[fields.findIndex(({ name }) => name === 'timestamp')] ?? ''
  return /^\d{1,16}$/.test(time) ? Number(time) : Number.NaN
}
