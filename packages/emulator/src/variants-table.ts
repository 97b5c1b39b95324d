import { type VariantPoint, variantTable } from './variants.ts'

/** The table of permitted variants as the README has it; the first value is the default. */
export function toMarkdown(): string {
  const points: [string, VariantPoint][] = Object.entries(variantTable)
  const rows = points.map(([name, { text, values, reason, ground, section }]) => {
    const [first, ...others] = values
    return `| \`${name}\` | ${text} | **${first}** · ${others.join(' · ')} | ${reason} | ${ground}, ${section} |`
  })
  return [
    '| option | what is left open | default · others | why this default | ground |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
