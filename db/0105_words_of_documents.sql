-- online: documents are found by the beginning of their names, and by the words of these and of their files' names.
create index concurrently if not exists attachment_label_idx
  on attachment (casewright_fold(attachment::text) collate "C");
create index concurrently if not exists attachment_words_idx
  on attachment using gin (casewright_words(coalesce(attachment::text, '') || ' ' || coalesce(filename::text, '')));
