/** Runs the table of attacks. docs/security.md lists what they threaten. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bodyClasses } from './bodies.ts'
import { clientClasses } from './client.ts'
import { commandLineClasses } from './command-line.ts'
import { emulatorClasses } from './emulator.ts'
import { exporterClasses } from './exporter.ts'
import { reportClasses } from './reports.ts'
import { secretClasses } from './secrets.ts'

const classes = [
  ...clientClasses,
  ...bodyClasses,
  ...commandLineClasses,
  ...reportClasses,
  ...emulatorClasses,
  ...exporterClasses,
  ...secretClasses,
]

test('no two attacks of a class have the same name', () => {
  for (const { name, attacks } of classes)
    expect(new Set(attacks.map((one) => one.name)).size, name).toBe(attacks.length)
})

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
