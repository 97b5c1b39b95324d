import { defineCommand } from '../../command/command.ts'
import { choice } from '../../command/value-type.ts'

/** `cdn completion`: generated from the tree of commands, those of the contract among them. */
export const completionCommand = defineCommand({
  name: 'completion',
  summary: 'Print the completion for a shell',
  details: [
    'bash: put "source <(cdn completion bash)" into ~/.bashrc. zsh: put "source <(cdn completion zsh)" into ~/.zshrc, after compinit. fish: cdn completion fish > ~/.config/fish/completions/cdn.fish',
  ],
  arguments: { shell: { value: choice('bash', 'zsh', 'fish'), summary: 'bash, zsh or fish' } },
  examples: [{ text: 'For ~/.bashrc', line: 'cdn completion bash > cdn.bash' }],
  run: async ({ out }, { arguments: { shell } }) => {
    const { toCompletion } = await import('./completion.ts')
    return out.write(await toCompletion(shell))
  },
})
