import type { LogFileRow, MalformedLine } from '@cdn/api'
import { contracts, type LineField } from '@cdn/api/contract'
import { masked } from '../../output/mask.ts'

/** A line of a day file. */
export type Line = LogFileRow | MalformedLine

const [separator, absent] = ['|', '-']

/** The fields of a line, in the order of the contract (`x-line`). */
const fields: readonly LineField[] =
  contracts.logging.operations.flatMap(({ responses }) => responses).find(({ line }) => line)?.line ?? []
const plainFields = fields.filter(({ extended }) => !extended)

/**
 * Writes rows of version 1 as lines again, as they came.
 *
 * @param showsCredentials also the visitor's credential of extended logging; hidden otherwise, and with it whatever follows
 *   the plain fields of a line that does not parse, since it may stand anywhere there
 * @returns a function that gives the line without its end
 */
export function createLineFormat(showsCredentials: boolean): (line: Line) => string {
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

/** @returns the time of a line that was written here, in milliseconds; NaN where it does not parse */
export function timeOf(line: string): number {
  const parts = line.split(separator, 3)
  const time = parts[fields.findIndex(({ name }) => name === 'timestamp')] ?? ''
  return /^\d{1,16}$/.test(time) ? Number(time) : Number.NaN
}
