/** What the process ends with (design §7). */
export const exitCodes = {
  done: 0,
  /** Something failed here, and may pass: the disk, the network, a port in use; or a fault of ours. */
  failed: 1,
  /** The command line or the configuration cannot work. */
  configuration: 2,
  /** The platform refuses the credential. */
  refused: 3,
  /** Ranges are lost, or `verify` found a difference. */
  lost: 6,
  interrupted: 130,
} as const
