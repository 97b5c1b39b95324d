/** `pnpm mock`: serves both full contracts with Prism, management on port 4010 and logging on 4011. */
import { servePrism } from './prism.ts'

for (const [name, port] of [
  ['management', 4010],
  ['logging', 4011],
] as const) {
  const { url } = await servePrism(name, port)
  console.log(`${name}: ${url.href}`)
}
