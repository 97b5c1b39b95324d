import type { Schema } from '@cdn/api/contract'
import { isRecord } from '@cdn/kit/record'
import { checkValue } from '../contract/validation.ts'
import { type VariantPoint, variantTable } from './table.ts'

export type Variants = { readonly [Name in keyof typeof variantTable]: (typeof variantTable)[Name]['values'][number] }

const points: readonly [string, VariantPoint][] = Object.entries(variantTable)

/** Variants that affect generated rows. */
export const variantsOfTraffic = ['requestIds', 'storedPrecision', 'loneSurrogates', 'controlCharacters'] as const

const variantsSchema: Schema = {
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(points.map(([name, { values }]) => [name, { enum: values }])),
}

/**
 * Parses a variant of the command line.
 *
 * @param text NAME=VALUE; numbers are written in digits
 * @throws RangeError in one sentence if the variant or the value is unknown
 */
export function readVariant(text: string): Partial<Variants> {
  const split = text.indexOf('=')
  if (split === -1) throw new RangeError(`Invalid variant ${JSON.stringify(text)}: expected NAME=VALUE`)
  const name = text.slice(0, split)
  const value = text.slice(split + 1)
  const known = points.find(([point]) => point === name)?.[1].values.find((permitted) => String(permitted) === value)
  const choice: Partial<Variants> = { [name]: known ?? value }
  chooseVariants(choice)
  return choice
}

/**
 * Adds the other variants to selected ones.
 *
 * @param chosen behaviours by point; undefined counts as omitted
 * @param others behaviours of omitted points. Points that both omit get their default, the first permitted value
 * @throws RangeError in one sentence if a point or a value is unknown
 */
export function chooseVariants(chosen: Partial<Variants>, others: Partial<Variants> = {}): Variants {
  const defaults = Object.fromEntries(points.map(([name, point]) => [name, point.values[0]]))
  // Without a choice nothing is checked: compiling the schema would double the time in which a first emulator is created.
  const isNone = isRecord(chosen) && Object.keys(chosen).length === 0
  const stated = isNone ? chosen : checkValue<Partial<Variants>>(variantsSchema, chosen, 'variants')
  return { ...defaults, ...others, ...stated } as Variants // every point has a default of its own type
}
