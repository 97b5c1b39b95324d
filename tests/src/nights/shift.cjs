// Moves the clock of a process by SHIFT_MS. With NO_NAMES, no name has an address.
const shift = Number(process.env.SHIFT_MS ?? 0)
const Real = Date
globalThis.Date = class extends Real {
  constructor(...parts) {
    super(...(parts.length > 0 ? parts : [Real.now() + shift]))
  }
  static now() {
    return Real.now() + shift
  }
}

if (process.env.NO_NAMES)
  require('node:dns').lookup = (name, ...rest) =>
    rest.at(-1)(
      Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }),
    )
