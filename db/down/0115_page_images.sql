-- down: images of pages, which are drawn again
drop table documentimage;
