import type { Context, Rule } from '../rule.ts'

interface Tag {
  readonly name: string
  readonly 'x-not-shown'?: unknown
}

/** An area has operations or says by `x-not-shown` that the document shows none: nothing is left out in silence. */
export const areaShown: Rule = () => {
  const used = new Set<string>()
  return {
    Operation({ tags = [] }: { tags?: readonly string[] }) {
      for (const tag of tags) used.add(tag)
    },
    Root: {
      leave({ tags = [] }: { tags?: readonly Tag[] }, { report, location }: Context) {
        for (const [index, tag] of tags.entries()) {
          const at = location.child(['tags', index])
          const notShown = tag['x-not-shown'] !== undefined
          if (notShown && used.has(tag.name))
            report({ message: `The area \`${tag.name}\` has operations; take its \`x-not-shown\` away.`, location: at })
          if (!notShown && !used.has(tag.name))
            report({
              message: `The area \`${tag.name}\` has no operation; say so under \`x-not-shown\`.`,
              location: at,
            })
        }
      },
    },
  }
}
