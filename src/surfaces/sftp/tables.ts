/** Tables of files that arrive by sFTP. */
export const tables = ['sftpfile'] as const;
