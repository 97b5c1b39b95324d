/** `pnpm mock`: serves both full contracts with Prism, management on port 4010 and logging on 4011, until it is stopped. */
import { startPrism } from './prism.ts'

for (const [name, port] of [
  ['management', 4010],
  ['logging', 4011],
] as const)
  console.log(`${name}: ${(await startPrism(name, port)).startLine}`)
