"""Pages that browsers put right, each in its own way."""

BROKEN = [
    "a &amp; b", "<p>a<p>b<li>c<li>d<dt>e<dd>f<option>g<option>h", "<b>1<i>2<p>3</b>4</i>5<a>6<div>7<a>8</div>9",
    "<p><font size=1><font size=2><font size=3><font size=4>x<p>y</p><b class=a><b class=a><b class=a><b class=a><p>z",
    "<table><tr><td><table><tr><td>1</table>2<td>3</table>4", "<table>a<tr>b<td>c</td>d</tr>e<p>f</table>g",
    "<table> <tr> <td> a </td> <b> </b></tr></table>", "<td>a</td><tr><tbody><caption>x</caption><col>",
    "<table><td>a<th>b<tr><col><td>c", "<p><table><tr><td>a", "<!DOCTYPE html><p><table><tr><td>a",
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "x"><p><table><td>a',
    "<!doctype HTML public '-//IETF//DTD HTML 2.0//EN'><p><table><td>a", "<!doctype><p><table><td>a",
    "<html><frameset rows=2> x <frame src=a><frame><noframes><p>no</noframes></frameset></html>",
    "<p>a<frameset><frame>",
    "<svg viewBox=0><g/><title>t</title><foreignObject><p>a</foreignObject><path/><desc>x<p>y</svg>z",
    "<svg><g><p>a<svg><font><font color=x>b",
    "<math><mi>a<p>b</mi><annotation-xml encoding='text/HTML'><p>c</annotation-xml><annotation-xml><p>d",
    "<svg><![CDATA[a<b>]]]]></svg><![CDATA[c<d>]]>e<math><![CDATA[]]>f<![CDATA[g",
    ("a<!-- <p> -->b<!-->c<!--->d<!---->e<!-- x --!>f<!--a--->g<!-"
    "-a----!>h<!----!>i<!-- <!-- -->j<!-x>k<?pi ?>l</>m</ x>n<!---!>o"),
    "a<!-- b --<p>",
    "<script>if (a < b) '<p>' </script>x<script><!-- <script> </script> --></script>y<script><!--></script>z",
    "<script><!-- <script>1</script> 2 </script> --> 3</script>4<script><!--- a -> <scripts></script>5",
    ("<style><p></style ><title>a &lt; <b></title><textarea>\n<p>&a"
    "mp;</textarea><xmp><p>&amp;</xmp/><iframe><p></iframe>a"),
    ("<title>a</title <b>b<i>c</i><script>d</script e='f>'>g<texta"
    "rea>h</textarea i>j<xmp>k</xmp/l>m<iframe>n</iframe <b>o"),
    "<title>a</titles></title x", "<p>a<plaintext><p>b</plaintext>",
    '<p a=1 b=\'>\' c=">" d = e/ f/g ==x h><input type = HIDDEN /><br/><p/a/>b<img alt=\'x>y\'>c', "a<p>b<p class='x>",
    "a</", "a<", "</p></br></div></table>a</body>b</html>c", "1 < 2 <3 <<b>4</b> <中>", "\0 <p>a",
    "&lt;p&gt; &nbsp;&copy;&copy &#x4e2d;&#20013; &notanentity; &#32;&Tab;<table>&#32;<tr>&#x20;x</table>",
    "<nobr><p type=hidden> b c <nobr hidden>", "<ruby>a<rp>(</rp><rt>b<rtc>c<rt>d</ruby>",
    "<select><option>a<optgroup><option>b<p>c</select><select><input>d<select><b>e",
    "<form>a<form>b<div></form>c</div><button>d<button>e<isindex>",
    "<head><title>a</title><p>b<head><body class=x>c<html lang=y><link><meta charset=gbk></body><p>d",
    "a<pre>\nb</pre><pre>\r\nc<pre><pre>\n\nd<textarea>\n<a></textarea><!---->\ne<svg><textarea>\nf",
    "<a hidden><pre>x</a>y<b hidden>z<p>w", "<noscript><style>x</style><p>a</noscript><p>b<noscript><p>c</noscript>",
]  # fmt: skip
