-- Questions whose answer has rows: each column is a question that names the one with the rows.
alter table importformquestion add column rowsof varchar(100) collate casewright_text;
