import ssh2 from 'ssh2';

/** Status codes of the protocol. */
export const { STATUS_CODE } = ssh2.utils.sftp;

/** A refusal as the client receives it. */
export class SftpFailure extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns the refusal of a request that no user may make. */
export function denied(message: string): SftpFailure {
  return new SftpFailure(STATUS_CODE.PERMISSION_DENIED, message);
}

/** Returns the refusal of a request that fails for now: a limit, a name in use. */
export function refused(message: string): SftpFailure {
  return new SftpFailure(STATUS_CODE.FAILURE, message);
}

const known: Readonly<Record<string, SftpFailure>> = {
  ENOENT: new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such file or folder'),
  ENOTDIR: new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such folder'),
  ELOOP: new SftpFailure(STATUS_CODE.NO_SUCH_FILE, 'No such file or folder'),
  EACCES: denied('Permission denied'),
  EPERM: denied('Permission denied'),
  EEXIST: refused('There is a file or folder of this name already'),
  ENOTEMPTY: refused('The folder is not empty'),
  EISDIR: refused('This is a folder'),
  ENAMETOOLONG: refused('The name is too long'),
  ENOSPC: refused('The server has no room at the moment'),
  EDQUOT: refused('The server has no room at the moment'),
};

/**
 * Returns the client's view of a failed operation, or undefined if unexpected. Names of server folders are never
 * revealed.
 */
export function asFailure(error: unknown): SftpFailure | undefined {
  if (error instanceof SftpFailure) return error;
  return known[String((error as NodeJS.ErrnoException | null | undefined)?.code)];
}
