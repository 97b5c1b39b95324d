import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { toRecord } from '../record.ts'

/** One attack, with the test that it gains nothing. */
export interface Attack {
  readonly name: string
  /** Mounts the attack. Rejects if the statement of its class does not hold. */
  readonly run: () => unknown
}

/** Attacks of one kind. One statement must hold during each of them. */
export interface AttackClass {
  /** The attacked part, such as `client: redirects`. */
  readonly name: string
  /** The statement that must hold during each attack. */
  readonly holds: string
  readonly attacks: readonly Attack[]
  /** Prepares all attacks of the class. Resolves to a function that cleans up. */
  readonly open?: () => Promise<() => unknown>
}

/** Makes a test of each attack. docs/security.md lists what attacks threaten. */
export function describeAttacks(classes: readonly AttackClass[]): void {
  describe.each(classes)('$name, $attacks.length attacks: $holds', ({ attacks, open }) => {
    let close: (() => unknown) | undefined
    beforeAll(async () => {
      close = await open?.()
    })
    afterAll(() => close?.())
    test.each(attacks)('$name', async ({ run }) => {
      await run()
    })
  })
}

/**
 * Creates one attack per row of a table.
 *
 * @param rows what the attacker sends, by name; or texts, which are their own names
 */
export function attacksOf<T>(rows: Readonly<Record<string, T>> | readonly T[], run: (row: T) => unknown): Attack[] {
  return Array.isArray(rows)
    ? rows.map((row: T) => ({ name: shorten(JSON.stringify(row)), run: () => run(row) }))
    : Object.entries<T>(rows).map(([name, row]) => ({ name, run: () => run(row) }))
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** Returns all texts of a value or an error that a log, a terminal or a crash report could show. */
export function spellings(value: unknown): string {
  const json = JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? String(each) : each))
  return [String(value), json, inspect(value, { depth: 9, showHidden: true }), toRecord(value)['stack']].join('\n')
}

/** Returns the secrets that a text contains. The text itself may have more secrets, so no test should print it. */
export function leakedSecrets(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => text.includes(secret))
}

/** Returns the error of a call, or undefined if it succeeds. */
export async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
    return undefined
  } catch (error) {
    return error
  }
}
