import { expect, test } from 'vitest'
import { root } from '../commands/root.ts'
import { allCommands, findCommand } from './find.ts'
import { editDistance, suggest } from './suggest.ts'

test.each([
  ['pullzone', 'There is no command "pullzone" in cdn. Did you mean cdn pull-zone?'],
  ['log', 'There is no command "log" in cdn. Did you mean cdn logs?'],
  ['auth logn', 'There is no command "logn" in cdn auth. Did you mean cdn auth login?'],
  ['pull-zone add', 'There is no command "add" in cdn pull-zone. Did you mean cdn pull-zone add-allowed-referrer?'],
  ['xyzzy', 'There is no command "xyzzy" in cdn. See cdn --help.'],
  ['billing list', 'There is no command "list" in cdn billing. The document shows no operation of this area.'],
])('an unknown word suggests the near one: %s', async (line, message) => {
  await expect(findCommand(root, line.split(' '))).rejects.toThrow(message)
})

test('no two entries of a group have one name, so every area of the contract can be reached', async () => {
  for await (const { path, entry } of allCommands(root)) {
    if (entry.kind === 'command') continue
    const names = (await entry.load()).map(({ name }) => name)
    expect(new Set(names).size, path.join(' ')).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z\d]+(-[a-z\d]+)*$/)
  }
})

test('distances', () => {
  expect(editDistance('', 'abc')).toBe(3)
  expect(editDistance('kitten', 'sitting')).toBe(3)
  expect(editDistance('logn', 'login')).toBe(1)
  expect(editDistance('olgs', 'logs')).toBe(1)
  expect(suggest('zzz', ['abc'])).toBeUndefined()
  expect(suggest('a', ['apple'])).toBeUndefined()
})
