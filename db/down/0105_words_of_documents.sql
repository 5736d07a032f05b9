-- down: documents are searched by their names without an index.
drop index if exists attachment_words_idx;
drop index if exists attachment_label_idx;
