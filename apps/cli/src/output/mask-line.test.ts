import { contracts } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { expect, test } from 'vitest'
import { maskLine } from './mask-line.ts'

const fields = defined(
  contracts.logging.operations.flatMap(({ responses }) => responses).find(({ line }) => line)?.line,
)
const plain = 'HIT|200|1|1|10001|-|-|/|DE|-|-|DE'

test.each([
  ['a plain line', plain, plain],
  ['a credential', `${plain}|5|-|Bearer x`, `${plain}|5|-|[hidden]`],
  ['no credential', `${plain}|5|-|-`, `${plain}|5|-|-`],
  ['too few fields', 'HIT|200', 'HIT|200'],
  ['a line with a field too few', `${plain}|5|Bearer x`, `${plain}|[hidden]`],
  ['a line with a field too many', `${plain}|5|-|x|Bearer x`, `${plain}|[hidden]`],
])('%s', (_name, line, shown) => {
  expect(maskLine(line, fields)).toBe(shown)
})
