import { expect, test } from 'vitest'
import { accumulate, createCommand, once, oneOf, runProgram, UsageError, wholeNumber } from './command-line.ts'

async function run(...args: string[]) {
  const printed: string[] = []
  const write = (text: string) => void printed.push(text)
  const parsed: unknown[] = []
  const serve = createCommand('serve', write)
    .description('serve something')
    .option('--port <n>', 'port', once(wholeNumber(0, 65_535)))
    .option('--clock <kind>', 'clock', once(oneOf(['real', 'virtual'])))
    .option('--allow <list>', 'permissions', accumulate(oneOf(['write', 'burst'])))
    .option('--out <folder>', 'folder', once())
    .action((given) => void parsed.push(given))
  const code = await runProgram(createCommand('program', write).addCommand(serve), args)
  return { code, options: parsed[0], printed: printed.join('') }
}

test('an action gets the parsed values', async () => {
  const args = ['--port', '8080', '--clock=virtual', '--allow', 'write,burst', '--allow', 'write', '--out', 'x']
  expect(await run('serve', ...args)).toEqual({
    code: undefined,
    options: { port: 8080, clock: 'virtual', allow: ['write', 'burst', 'write'], out: 'x' },
    printed: '',
  })
})

test('help is printed on request, and if no command is named', async () => {
  expect(await run('--help')).toMatchObject({
    code: 0,
    printed: expect.stringMatching(/^Usage: program .*serve something/s),
  })
  expect(await run('serve', '-h')).toMatchObject({ code: 0, printed: expect.stringContaining('--port <n>') })
  expect(await run()).toMatchObject({ code: 2, printed: expect.stringContaining('Usage: program') })
})

test.each([
  [['walk'], "Unknown command 'walk'."],
  [['serve', '--prot', '1'], "Unknown option '--prot' (Did you mean --port?)."],
  [['serve', '--key=secret'], "Unknown option '--key'."],
  [['serve', 'secret'], "Too many arguments for 'serve': expected 0."],
  [['serve', '--out'], "Option '--out <folder>' argument missing."],
  [['serve', '--out', '--port'], "Option '--out <folder>' argument '--port' is invalid: a value is missing."],
  [['serve', '--allow', '--port'], "Option '--allow <list>' argument '--port' is invalid: a value is missing."],
  [['serve', '--out', 'a', '--out', 'b'], "Option '--out <folder>' argument 'b' is invalid: it is given twice."],
  [['serve', '--clock', 'sun'], "Option '--clock <kind>' argument 'sun' is invalid: expected one of real, virtual."],
  [
    ['serve', '--port', '1e3'],
    "Option '--port <n>' argument '1e3' is invalid: expected a whole number from 0 to 65535.",
  ],
])('the error for %j is one sentence', async (args, sentence) => {
  await expect(run(...args)).rejects.toThrow(new UsageError(sentence))
})
