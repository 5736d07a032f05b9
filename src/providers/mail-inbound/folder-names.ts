import { bad } from '../../kernel/parameters/parse-value.ts';

/** @throws BAD_PARAMETER naming the option */
export function assertFolders(options: {
  readonly Folder?: string | undefined;
  readonly ReceivedFolder?: string | undefined;
}): void {
  const { Folder = 'INBOX', ReceivedFolder } = options;
  for (const [name, folder] of [['Folder', Folder] as const, ['ReceivedFolder', ReceivedFolder] as const])
    if (folder !== undefined && /[\p{Cc}%*]/u.test(folder)) throw bad(name, 'the name of a folder, without * and %');
  if (ReceivedFolder?.toLowerCase() === Folder.toLowerCase())
    throw bad('ReceivedFolder', 'a folder other than the one that is read');
}
