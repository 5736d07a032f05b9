-- down: uploads that are not finished
drop table upload;
